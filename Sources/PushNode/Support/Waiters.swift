import Synchronization

/// Tasks that wait for something to happen.
final class Waiters: Sendable {
    private struct State {
        var nextId: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// Waits for ``wakeAll()`` or for the task to be cancelled. Nothing runs between the call and the start of the wait, so
    /// an actor that checks its state right before misses nothing.
    func wait() async {
        let id = state.withLock { state in
            state.nextId += 1
            return state.nextId
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !state.cancelled.contains(id) else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiting.removeValue(forKey: id)
                if continuation == nil { state.cancelled.insert(id) }
                return continuation
            }
            continuation?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    /// Wakes whoever waits.
    func wakeAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
