internal import Synchronization

/// How much a server takes on at once, all connections together: running calls, which wait for a place in order, and bytes
/// of requests, which do not wait.
final class CallGate: Sendable {
    private struct State {
        var running = 0
        var heldBytes = 0
        var waiting = FIFO<Waiter>()
        var nextWaiter: UInt64 = 0
    }

    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let maximumCalls: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumCalls: Int, maximumBytes: Int) {
        self.maximumCalls = maximumCalls
        self.maximumBytes = maximumBytes
    }

    var runningCalls: Int { state.withLock { $0.running } }

    /// Takes a place for a call, maybe after others.
    ///
    /// - Returns: `false` when the task was cancelled first; there is no place to leave then.
    func enter() async -> Bool {
        let id: UInt64? = state.withLock { state in
            if state.running < maximumCalls {
                state.running += 1
                return nil
            }
            state.nextWaiter += 1
            return state.nextWaiter
        }
        guard let id else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.running < maximumCalls {
                        state.running += 1
                        return true
                    }
                    state.waiting.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeFirst { $0.id == id } }?.continuation.resume(returning: false)
        }
    }

    /// Gives a place back.
    func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }

    /// Takes `count` bytes on; `false` when that is too much.
    func hold(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.heldBytes + count <= maximumBytes else { return false }
            state.heldBytes += count
            return true
        }
    }

    /// Gives bytes back.
    func release(_ count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.heldBytes -= count }
    }
}
