/// A stream that serves one call after the other.
protocol ReusableStream: AnyObject, Sendable {
    /// Whether a further call can be made over it.
    func isOpen() async -> Bool
    func close()
}

/// The streams of one client: a call takes one that is idle, opens a further one while there are places, or waits, in the
/// order of the calls.
///
/// Whoever waits is handed what it waits for, a stream or a place that is counted as taken from then on, and passes it on
/// when its call has ended meanwhile. So nothing that became free is lost, and no later call comes before it.
///
/// It belongs to one actor, which alone uses it and on which calls wait.
final class StreamPool<Stream: ReusableStream> {
    typealias Ticket = StreamTicket<Stream>

    private let places: Int
    /// The stream used last is the last.
    private var idle: [Stream] = []
    /// Streams that are open or being opened.
    private(set) var openStreams = 0
    private var waiting = FIFO<Ticket>()
    private var isClosed = false

    /// A pool without streams.
    ///
    /// - Parameter places: how many streams it opens at once.
    init(places: Int) {
        self.places = places
    }

    deinit {
        for stream in idle { stream.close() }
    }

    /// Streams that no call uses.
    var idleCount: Int { idle.count }

    /// The idle stream that was used longest ago.
    var oldestIdle: Stream? { idle.first }

    /// Takes a stream for a call.
    ///
    /// - Parameters:
    ///   - ticket: the call's.
    ///   - closed: what calls fail with once the pool is closed.
    ///   - open: opens a stream.
    /// - Throws: why the call has ended, `closed`, or what `open` throws.
    func take(
        for ticket: Ticket, isolation: isolated (any Actor)? = #isolation, closed: CallError,
        open: () async throws(CallError) -> Stream
    ) async throws(CallError) -> Stream {
        // Whether the connection had no room for a further stream of ours when this call asked.
        var isFull = false
        while true {
            if let ended = ticket.ended { throw ended }
            guard !isClosed else { throw closed }
            if let stream = idle.popLast() {
                guard await stream.isOpen() else {
                    stream.close()
                    streamEnded()
                    continue
                }
                // The call, or the pool, may have ended while the stream was asked.
                guard ticket.ended == nil, !isClosed else {
                    giveBack(stream)
                    continue
                }
                return stream
            }
            if openStreams < places, !isFull || openStreams == 0 {
                openStreams += 1
            } else {
                switch await wait(ticket) {
                case nil: continue
                case .stream(let stream):
                    guard ticket.ended == nil, !isClosed else {
                        giveBack(stream)
                        continue
                    }
                    return stream
                case .place:
                    guard ticket.ended == nil, !isClosed else {
                        streamEnded()
                        continue
                    }
                }
            }
            do throws(CallError) {
                return try await open()
            } catch .transport(.tooManyStreams) where openStreams > 1 {
                // Others use the connection too: go round for one of ours, which may have become free meanwhile.
                openStreams -= 1
                isFull = true
            } catch {
                streamEnded()
                throw error
            }
        }
    }

    /// Takes a stream back that a further call can use.
    func giveBack(_ stream: Stream) {
        guard !isClosed else {
            stream.close()
            return streamEnded()
        }
        if wakeNext(.stream(stream)) { return }
        idle.append(stream)
    }

    /// A stream that was taken is closed, or a place was not used.
    func streamEnded() {
        openStreams -= 1
        // Counted before whoever gets it runs, so that no call comes in between.
        if wakeNext(.place) { openStreams += 1 }
    }

    /// Closes idle streams, the ones used longest ago first, and leaves the one used last.
    func closeIdle(while isOld: (Stream) -> Bool) {
        while idle.count > 1, isOld(idle[0]) {
            idle.removeFirst().close()
            openStreams -= 1
        }
    }

    /// Closes the idle streams; those in use are closed when they come back. Who waits is woken by the end of its call.
    func close() {
        isClosed = true
        for stream in idle { stream.close() }
        openStreams -= idle.count
        idle = []
    }

    private func wait(
        _ ticket: Ticket, isolation: isolated (any Actor)? = #isolation
    ) async -> StreamTicket<Stream>.Grant? {
        await withCheckedContinuation(isolation: isolation) { continuation in
            ticket.waiter = continuation
            waiting.append(ticket)
        }
    }

    /// Hands something to the call that waits longest.
    ///
    /// - Returns: whether one waited.
    private func wakeNext(_ grant: Ticket.Grant) -> Bool {
        while let ticket = waiting.popFirst() {
            if ticket.wake(with: grant) { return true }
        }
        return false
    }
}

/// One call under way at a ``StreamPool``. Used by the pool's actor only.
final class StreamTicket<Stream: ReusableStream> {
    /// What a call has waited for.
    enum Grant {
        case stream(Stream)
        /// The right to open a stream.
        case place
    }

    fileprivate var waiter: CheckedContinuation<Grant?, Never>?
    /// Why the call was ended from outside.
    private(set) var ended: CallError?

    /// Ends the call, unless that was done before: it goes on at once if it waits.
    ///
    /// - Returns: whether it was not done before.
    @discardableResult
    func end(_ reason: CallError) -> Bool {
        guard ended == nil else { return false }
        ended = reason
        _ = wake(with: nil)
        return true
    }

    /// Lets a waiting call go on.
    ///
    /// - Returns: whether it waited.
    fileprivate func wake(with grant: Grant?) -> Bool {
        guard let waiter else { return false }
        self.waiter = nil
        waiter.resume(returning: grant)
        return true
    }
}
