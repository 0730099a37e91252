import Locks

/// Counts who uses something, so that it is closed only when nobody does.
final class UseCount: Sendable {
    fileprivate struct State {
        var users = 0
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = SystemLock(State())

    /// Whether it may be used; then ``leave()`` has to follow.
    func enter() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.users += 1 }
            return !state.isClosed
        }
    }

    /// The use is over.
    func leave() {
        let waiting = state.withLock { state in
            state.users -= 1
            return state.takeIfUnused()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Lets nobody in any more and returns when nobody is in.
    func close() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.isClosed = true
                state.waiting.append(continuation)
                return state.takeIfUnused()
            }
            for continuation in waiting { continuation.resume() }
        }
    }
}

extension UseCount.State {
    fileprivate mutating func takeIfUnused() -> [CheckedContinuation<Void, Never>] {
        guard isClosed, users == 0 else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
