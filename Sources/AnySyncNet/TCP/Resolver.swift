internal import Glibc
internal import Locks

/// Looks host names up on threads of its own, so that a loop never waits for one.
///
/// The system's look-up cannot be interrupted, and takes half a minute when no name server answers. Whoever waits for
/// it is let go at the deadline, when its task is cancelled and when its loop shuts down; the thread drops the late
/// answer and goes on to the next name.
package final class Resolver: Sendable {
    /// A look-up that blocks: the addresses with port 0, or why there are none.
    typealias LookUp = @Sendable (_ host: String) -> Result<[SocketAddress], LookUpFailure>

    /// Why a look-up failed, in the system's words.
    struct LookUpFailure: Error {
        let reason: String
    }

    /// The process's resolver.
    package static let shared = Resolver(threads: 4, lookUp: SystemResolver.lookUp)

    private struct State {
        var waiting = FIFO<PendingLookUp>()
        var threads = 0
    }

    private let maximumThreads: Int
    private let lookUp: LookUp
    private let state = SystemLock(State())

    /// - Parameters:
    ///   - threads: how many names are looked up at once; others wait, within their deadlines.
    ///   - lookUp: the look-up.
    init(threads: Int, lookUp: @escaping LookUp) {
        maximumThreads = threads
        self.lookUp = lookUp
    }

    /// The addresses of a host, the two IP families taking turns (RFC 8305 §4); an IP address is answered at once.
    ///
    /// - Throws: ``TransportError/cannotResolve(host:reason:)``, ``TransportError/deadlineExceeded(_:)``,
    ///   ``TransportError/cancelled``; ``TransportError/closed(_:detail:)`` when the loop shuts down.
    package func addresses(
        of host: String, port: UInt16, on loop: EventLoop, timeout: Duration
    ) async throws(TransportError) -> [SocketAddress] {
        if let address = SocketAddress(ip: host, port: port) { return [address] }
        let pending = PendingLookUp(host)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { LookUpWait(for: pending, on: loop, timeout, continuation).start(with: self) }
            }
        } onCancel: {
            pending.finish(with: .failure(.cancelled))
        }
        return SocketAddress.interleaved(try answer.get()).map { $0.with(port: port) }
    }

    /// Has a thread look a name up, unless nobody waits for it any more by then.
    fileprivate func add(_ pending: PendingLookUp) {
        let needsThread = state.withLock { state in
            state.waiting.append(pending)
            guard state.threads < maximumThreads else { return false }
            state.threads += 1
            return true
        }
        guard needsThread, !DetachedThread.start({ self.work() }) else { return }
        state.withLock { $0.threads -= 1 }
        pending.finish(with: .failure(.cannotResolve(host: pending.host, reason: "no thread can be started")))
    }

    private func work() {
        while let pending = next() {
            guard !pending.isFinished else { continue }
            switch lookUp(pending.host) {
            case .success(let addresses): pending.finish(with: .success(addresses))
            case .failure(let failure):
                pending.finish(with: .failure(.cannotResolve(host: pending.host, reason: failure.reason)))
            }
        }
    }

    private func next() -> PendingLookUp? {
        state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.threads -= 1 }
            return next
        }
    }
}

/// A name that is looked up; finished once, from any thread.
private final class PendingLookUp: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>

    private enum State {
        case pending
        case awaited(@Sendable (Answer) -> Void)
        case finished(Answer)
    }

    let host: String
    private let state = SystemLock(State.pending)

    init(_ host: String) {
        self.host = host
    }

    var isFinished: Bool {
        state.withLock { if case .finished = $0 { true } else { false } }
    }

    func finish(with answer: Answer) {
        let receiver: (@Sendable (Answer) -> Void)? = state.withLock { state in
            switch state {
            case .finished: return nil
            case .pending:
                state = .finished(answer)
                return nil
            case .awaited(let receiver):
                state = .finished(answer)
                return receiver
            }
        }
        receiver?(answer)
    }

    /// Has `receiver` get the answer, at once if it is there.
    func await(_ receiver: @escaping @Sendable (Answer) -> Void) {
        let answer: Answer? = state.withLock { state in
            if case .finished(let answer) = state { return answer }
            state = .awaited(receiver)
            return nil
        }
        if let answer { receiver(answer) }
    }
}

/// One wait for a name. Unchecked because it is used on the loop's thread only.
private final class LookUpWait: LoopHandle, @unchecked Sendable {
    private let pending: PendingLookUp
    private let loop: EventLoop
    private let timeout: Duration
    private let continuation: CheckedContinuation<PendingLookUp.Answer, Never>
    private var timer: LoopTimer?

    init(
        for pending: PendingLookUp, on loop: EventLoop, _ timeout: Duration,
        _ continuation: CheckedContinuation<PendingLookUp.Answer, Never>
    ) {
        (self.pending, self.loop, self.timeout, self.continuation) = (pending, loop, timeout, continuation)
    }

    func start(with resolver: Resolver) {
        guard !loop.isStopping else { return continuation.resume(returning: .failure(Self.stopped)) }
        loop.add(self)
        timer = loop.schedule(after: timeout) { [pending] in
            pending.finish(with: .failure(.deadlineExceeded(.resolving)))
        }
        pending.await { [self] answer in
            loop.execute { self.received(answer) }
        }
        resolver.add(pending)
    }

    private func received(_ answer: PendingLookUp.Answer) {
        timer?.cancel()
        loop.remove(self)
        continuation.resume(returning: answer)
    }

    func loopIsStopping() {
        pending.finish(with: .failure(Self.stopped))
    }

    private static let stopped = TransportError.closed(.shutDown, detail: "the event loop is shutting down")
}

/// The system's own look-up.
private enum SystemResolver {
    static func lookUp(_ host: String) -> Result<[SocketAddress], Resolver.LookUpFailure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { return .failure(.init(reason: String(cString: gai_strerror(status)))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry {
            if let address = SocketAddress(copying: current.pointee.ai_addr) { addresses.append(address) }
            entry = current.pointee.ai_next
        }
        guard !addresses.isEmpty else { return .failure(.init(reason: "it has no IP address")) }
        return .success(addresses)
    }
}
