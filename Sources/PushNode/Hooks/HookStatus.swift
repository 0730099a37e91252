/// What the hooks have done.
public struct HookStatus: Hashable, Sendable {
    /// Hooks that wait or run now.
    public var depth = 0
    /// Notifications handed to the queue.
    public var enqueued: UInt64 = 0
    /// Edits that mention nobody new: nothing is to be sent.
    public var withoutNewMention: UInt64 = 0
    /// Edits of a message whose state before is not known: nothing is sent.
    public var withoutEarlierState: UInt64 = 0
    /// Dropped on arrival because too many hooks waited.
    public var dropped: UInt64 = 0
    /// Came to nothing; see ``lastFailure``.
    public var failed: UInt64 = 0
    /// Given up by the shutdown.
    public var abandoned: UInt64 = 0
    /// Why the last hook that failed did.
    public var lastFailure: HookFailure?

    /// Nothing done yet.
    public init() {}
}
