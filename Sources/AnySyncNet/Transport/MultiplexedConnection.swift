/// A connection that carries its streams itself, pinned to its loop: what all such connections do alike. What differs is
/// how a protocol opens, sends, consumes and ends.
package protocol MultiplexedConnection: ManagedConnection, Actor {
    /// Names a stream in the protocol.
    associatedtype StreamId: Hashable, Sendable
    typealias Stream = MultiplexedStream<Self>

    /// Streams that the peer opened and nobody has taken yet.
    var incoming: HandoffQueue<Stream> { get set }
    /// Whether somebody takes the peer's streams; a dialer that never asks for them refuses them.
    var takesStreams: Bool { get set }
    /// Why the connection has ended; `nil` while it is open.
    var ending: (reason: CloseReason, detail: String)? { get }
    var closeWaiters: HandoffQueue<CloseReason> { get set }

    /// Ends the connection, once.
    func end(_ reason: CloseReason, _ detail: String)

    /// Gives the peer room for bytes that a stream's reader has taken.
    func consumed(_ count: Int, on stream: Stream)
    /// Takes note that a stream was dropped with so many bytes unread; from any thread.
    nonisolated func forgetInput(_ count: Int, of id: StreamId)

    /// Sends what there is room for.
    ///
    /// - Returns: how many bytes were taken in.
    func send(_ bytes: ArraySlice<UInt8>, on stream: Stream) throws(TransportError) -> Int
    /// A writer is about to wait for room; it is woken once there may be some.
    func waitsForRoom(_ stream: Stream)

    /// Writes no more on a stream.
    func finish(_ stream: Stream)
    /// Finishes a stream and takes nothing more from it.
    func abandon(_ stream: Stream)
    /// Ends a stream at once in both directions.
    func reset(_ stream: Stream)
}

extension MultiplexedConnection {
    // MARK: Streams

    package func nextStream() async -> (any ByteStream)? {
        takesStreams = true
        if let stream = incoming.takeNow() { return stream }
        let taker = incoming.makeTaker()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { incoming.wait(taker, $0) }
        } onCancel: {
            eventLoop.execute { self.assumeIsolated { $0.incoming.withdraw(taker) } }
        }
    }

    func isOpen(_ stream: Stream) -> Bool {
        stream.failure == nil && !stream.peerHasFinished && !stream.hasFinished
    }

    func read(from stream: Stream) async throws(TransportError) -> [UInt8]? {
        while true {
            if !stream.input.isEmpty {
                let bytes = stream.input
                stream.input = []
                consumed(bytes.count, on: stream)
                return bytes
            }
            if stream.peerHasFinished { return nil }
            if let failure = stream.failure { throw failure }
            guard !Task.isCancelled else { throw .cancelled }
            assert(stream.reader == nil, "two tasks read from one stream")
            await withTaskCancellationHandler {
                await waitToRead(stream)
            } onCancel: {
                eventLoop.execute { self.assumeIsolated { _ in stream.wakeReader() } }
            }
        }
    }

    func write(_ bytes: [UInt8], to stream: Stream) async throws(TransportError) {
        var rest = bytes[...]
        while true {
            if let failure = stream.failure { throw failure }
            rest = rest.dropFirst(try send(rest, on: stream))
            guard !rest.isEmpty else { return }
            guard !Task.isCancelled else {
                // A part may be on its way: the stream is of no more use.
                reset(stream)
                throw .cancelled
            }
            assert(stream.writer == nil, "two tasks write to one stream")
            waitsForRoom(stream)
            await withTaskCancellationHandler {
                await waitToWrite(stream)
            } onCancel: {
                eventLoop.execute { self.assumeIsolated { _ in stream.wakeWriter() } }
            }
        }
    }

    // Methods of the actor and not closures: a closure that does not use the actor itself runs outside it.
    private func waitToRead(_ stream: Stream) async {
        await withCheckedContinuation { stream.reader = $0 }
    }

    private func waitToWrite(_ stream: Stream) async {
        await withCheckedContinuation { stream.writer = $0 }
    }

    // MARK: Closing

    package func close(_ reason: CloseReason) {
        end(reason, "")
    }

    package nonisolated func requestClose(_ reason: CloseReason, detail: String) {
        eventLoop.execute { self.assumeIsolated { $0.end(reason, detail) } }
    }

    package func waitUntilClosed() async -> CloseReason? {
        if let ending { return ending.reason }
        let taker = closeWaiters.makeTaker()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { closeWaiters.wait(taker, $0) }
        } onCancel: {
            eventLoop.execute { self.assumeIsolated { $0.closeWaiters.withdraw(taker) } }
        }
    }

    package var closedError: TransportError? {
        ending.map { .closed($0.reason, detail: $0.detail) }
    }
}
