internal import AnySyncWire

/// The leave of one attempt at a peer to exchange credentials with it.
///
/// A peer keeps only the newest connection of a peer id (protocol.md §5): two attempts of one race that both came
/// through would end each other. So attempts race until the peer's certificate is proven, and go on one at a time. It
/// also shows the peer each protocol version once, whatever the number of its addresses.
public struct DialTurn: Sendable {
    private enum Kind {
        case alone(version: UInt32)
        case inLine(DialLine, attempt: Int)
    }

    private let kind: Kind

    /// The turn of an attempt that races with nobody.
    ///
    /// - Parameter version: the protocol version to say (protocol.md §6).
    public init(version: UInt32) {
        kind = .alone(version: version)
    }

    /// An attempt's turn in a line.
    init(_ attempt: Int, in line: DialLine) {
        kind = .inLine(line, attempt: attempt)
    }

    /// Waits for the turn. A transport calls it once in each dial, after the peer's certificate is proven and before
    /// the first byte of the credential handshake (protocol.md §6). The turn ends with the dial.
    ///
    /// - Returns: the protocol version to say.
    /// - Throws: ``TransportError/cancelled``; ``TransportError/noCommonVersion(last:retryAfter:)`` when the peer has
    ///   taken none meanwhile.
    public func begin() async throws(TransportError) -> UInt32 {
        let result: Result<UInt32, TransportError>
        switch kind {
        case .alone(let version): result = .success(version)
        case .inLine(let line, let attempt):
            result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    line.loop.execute { line.enter(attempt) { continuation.resume(returning: $0) } }
                }
            } onCancel: {
                line.loop.execute { line.cancel(attempt) }
            }
        }
        return try result.get()
    }

    /// The same for a caller on the loop without a task: `body` is called once, now if the turn is free.
    func begin(_ body: @escaping (Result<UInt32, TransportError>) -> Void) {
        switch kind {
        case .alone(let version): body(.success(version))
        case .inLine(let line, let attempt): line.enter(attempt, body)
        }
    }
}

/// The attempts of one race that wait for their turn. Unchecked because it is used on the loop's thread only.
final class DialLine: @unchecked Sendable {
    typealias Answer = (Result<UInt32, TransportError>) -> Void

    let loop: EventLoop
    /// What each attempt came to that has failed so far, or the last of its versions.
    private(set) var failures: [Int: TransportError] = [:]
    /// Versions that the peer may have refused without saying so, and how it did that last.
    private(set) var doubted: Set<UInt32> = []
    private(set) var doubt: TransportError?
    private let version: (_ attempt: Int) -> Result<UInt32, TransportError>
    private var holder: (attempt: Int, version: UInt32)?
    private var waiting: [(attempt: Int, answer: Answer)] = []
    private var cancelled: Set<Int> = []

    /// - Parameter version: what an attempt says whose turn has come.
    init(on loop: EventLoop, version: @escaping (_ attempt: Int) -> Result<UInt32, TransportError>) {
        self.loop = loop
        self.version = version
    }

    /// What the attempt whose turn it is has been told to say.
    func version(of attempt: Int) -> UInt32? {
        holder.flatMap { $0.attempt == attempt ? $0.version : nil }
    }

    /// Takes note of what an attempt came to.
    func note(_ error: TransportError, of attempt: Int) {
        loop.assertOnLoop()
        failures[attempt] = error
        guard case .handshake(let failure) = error, failure.mayBeVersionRefusal else { return }
        doubted.insert(failure.localVersion)
        doubt = error
    }

    func enter(_ attempt: Int, _ answer: @escaping Answer) {
        loop.assertOnLoop()
        guard !cancelled.contains(attempt) else { return answer(.failure(.cancelled)) }
        waiting.append((attempt, answer))
        admitNext()
    }

    /// Ends an attempt for good, also one that has not come yet.
    func cancel(_ attempt: Int) {
        cancelled.insert(attempt)
        leave(attempt)
    }

    /// Gives the turn back, or the place in the line.
    func leave(_ attempt: Int) {
        loop.assertOnLoop()
        if holder?.attempt == attempt {
            holder = nil
            admitNext()
        } else if let index = waiting.firstIndex(where: { $0.attempt == attempt }) {
            waiting.remove(at: index).answer(.failure(.cancelled))
        }
    }

    private func admitNext() {
        while holder == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            let result = version(next.attempt)
            if case .success(let version) = result { holder = (next.attempt, version) }
            next.answer(result)
        }
    }
}
