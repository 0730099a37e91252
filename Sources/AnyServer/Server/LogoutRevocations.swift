import Locks
import PushNode

/// Accounts that were logged out while their node was away: it is told to forget their tokens as soon as it is back, so
/// that nothing of theirs is brought to a phone which they have left.
///
/// Each keeps its directory's lock, and its keys in memory, until then or until the server stops; after that the next run
/// of the account tells the node.
final class LogoutRevocations: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        /// The accounts, oldest first.
        var order: [String] = []
        var isClosed = false
    }

    /// How many accounts are waited for at most; the oldest gives way.
    static let limit = 16

    private let state = SystemLock(State())

    /// Takes up what is left to do for an account.
    func add(_ accountId: String, _ revocation: PendingRevocation, lock: ServerLock) {
        let oldest = state.withLock { state -> String? in
            guard !state.isClosed, state.tasks[accountId] == nil else { return nil }
            state.tasks[accountId] = Task {
                await revocation.run()
                lock.release()
                self.forget(accountId)
            }
            state.order.append(accountId)
            return state.order.count > Self.limit ? state.order[0] : nil
        }
        if let oldest { state.withLock { $0.tasks[oldest] }?.cancel() }
    }

    /// Ends what is done for an account, which is about to run again, and lets go of its directory.
    func end(_ accountId: String) async {
        let task = state.withLock { $0.tasks[accountId] }
        task?.cancel()
        await task?.value
    }

    /// Ends everything.
    func close() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // A task that ends before `add` has noted it waits here for the lock.
    private func forget(_ accountId: String) {
        state.withLock { state in
            state.tasks[accountId] = nil
            state.order.removeAll { $0 == accountId }
        }
    }
}
