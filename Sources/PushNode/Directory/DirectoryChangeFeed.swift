import Locks

/// Hands the changes of a ``SpaceDirectory`` to whoever listens: a directory keeps one, sends to it after each commit,
/// and answers ``SpaceDirectory/changes()`` with ``stream()``.
///
/// A listener that falls behind loses its oldest changes, never the newest, so it always learns that it has to read
/// anew.
public final class DirectoryChangeFeed: Sendable {
    /// The changes that wait for one listener at most.
    public static let capacity = 64

    private struct State {
        var listeners: [UInt64: AsyncStream<DirectoryChange>.Continuation] = [:]
        var nextId: UInt64 = 0
        var isFinished = false
    }

    private let state = SystemLock(State())

    /// A feed without listeners.
    public init() {}

    /// Tells everyone who listens, and returns at once. From any thread.
    public func send(_ change: DirectoryChange) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(change) }
    }

    /// The changes from now on, until the listening task is cancelled or the feed finishes. For one task.
    public func stream() -> AsyncStream<DirectoryChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DirectoryChange.self, bufferingPolicy: .bufferingNewest(Self.capacity)
        )
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            let id = state.nextId
            state.nextId += 1
            state.listeners[id] = continuation
            return id
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Ends every stream, now and later.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// How many streams are open.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    deinit { finish() }
}
