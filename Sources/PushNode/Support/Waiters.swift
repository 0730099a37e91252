import Locks

/// Tasks that wait for something to happen.
package final class Waiters: Sendable {
    private struct State {
        var nextId: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private let state = SystemLock(State())

    package init() {}

    /// Waits for ``wakeAll()``, or for the task to be cancelled.
    ///
    /// - Parameter condition: whether there is still something to wait for. It is asked when a wake-up can not be
    ///   missed anymore: whoever changes it wakes afterwards. It is asked on the caller's actor.
    package func wait(isolation: isolated (any Actor)? = #isolation, while condition: () -> Bool) async {
        let id = state.withLock { state in
            state.nextId += 1
            return state.nextId
        }
        // The isolation is passed on by hand: a closure that does not name the actor would run off it, and ask there.
        await withTaskCancellationHandler(
            operation: {
                _ = isolation
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let isCancelled = state.withLock { state in
                        state.waiting[id] = continuation
                        return state.cancelled.contains(id)
                    }
                    if isCancelled || !condition() { wake(id) }
                }
            },
            onCancel: {
                state.withLock { state in
                    if state.waiting[id] == nil { state.cancelled.insert(id) }
                }
                wake(id)
            }, isolation: isolation)
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    private func wake(_ id: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }

    /// Wakes whoever waits.
    package func wakeAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
