import Locks

/// The background tasks of one owner, which cancels and awaits them all when it shuts down.
final class OwnedTasks: Sendable {
    private struct State {
        var running: [UInt64: Task<Void, Never>] = [:]
        var nextId: UInt64 = 0
        var isClosed = false
    }

    /// Where tasks run, `nil` for the pool; a test that tries every order of steps has them run one by one.
    @TaskLocal static var executor: (any TaskExecutor)?

    private let state = SystemLock(State())

    /// Starts a task, which is owned until it ends.
    ///
    /// - Returns: `nil`, with nothing started, after ``cancelAndWait()``.
    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let id = state.nextId
            state.nextId += 1
            let task = Task(executorPreference: Self.executor) {
                await operation()
                self.forget(id)
            }
            state.running[id] = task
            return task
        }
    }

    /// Starts nothing anymore, cancels what runs, and returns when nothing runs.
    func cancelAndWait() async {
        let running = state.withLock { state in
            state.isClosed = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }

    // A task that ends before `start` has noted it waits here for the lock.
    private func forget(_ id: UInt64) {
        state.withLock { $0.running[id] = nil }
    }
}
