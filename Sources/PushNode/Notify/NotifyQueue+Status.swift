extension NotifyQueue {
    /// What one queue grants.
    public struct Limits: Hashable, Sendable {
        /// Notifications held at once, those being sent included; another one is dropped (design.md, "Rules"). What
        /// comes from an outbox is bounded there.
        public var capacity = 256
        /// Tries for each notification (protocol: six).
        public var attempts = 6
        /// Time between tries.
        public var retryInterval = Duration.seconds(10)
        /// How long a notification from an outbox may wait: what is older is given up. Ours: later it is no news.
        public var lifetime = Duration.seconds(600)
        /// Chats of which something is being sent at once; those of an outbox may be more, which take turns.
        public var parallelChats = 256

        /// The defaults named at each property.
        public init() {}
    }

    /// What a queue has done.
    public struct Status: Hashable, Sendable {
        /// Notifications held now.
        public var depth = 0
        /// Accepted by the node.
        public var sent: UInt64 = 0
        /// Dropped on arrival because the queue was full.
        public var dropped: UInt64 = 0
        /// Given up after the last try.
        public var exhausted: UInt64 = 0
        /// Given up because the node's answer will not change: no valid topics, or a wrong signature.
        public var refused: UInt64 = 0
        /// Given up because it was too old.
        public var expired: UInt64 = 0
        /// Not sent because the queue was shut down.
        public var abandoned: UInt64 = 0
        /// Not sent before the queue was shut down, and in the outbox for the next start.
        public var kept: UInt64 = 0
        /// The last error, `nil` after a success.
        public var lastError: PushNodeError?
        /// What was lost of late, also before the start; `nil` when nothing was, or there is no outbox to remember it.
        public var losses: NotificationLosses?

        /// Nothing done yet.
        public init() {}

        /// All that were given up.
        public var givenUp: UInt64 { exhausted + refused + expired }
    }
}
