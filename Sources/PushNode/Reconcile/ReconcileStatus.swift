/// Why a round did not get to its end.
public enum ReconcileError: Error, Hashable, Sendable {
    /// The space rows could not be read.
    case spacesUnreadable(reason: String)
    /// The node did not take the topics.
    case node(PushNodeError)
    /// The time for a round was over.
    case budgetExceeded
    /// The reconciler was shut down.
    case cancelled
}

extension ReconcileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .spacesUnreadable(let reason): "the spaces can not be read: \(reason)"
        case .node(let error): "the node did not take the topics: \(PushEvent.text(of: error))"
        case .budgetExceeded: "the time for a round is over"
        case .cancelled: "shut down"
        }
    }
}

/// A space that has not its full say in a round.
public struct LeftOutSpace: Hashable, Sendable {
    /// The space's id.
    public let spaceId: String
    /// Why.
    public let reason: Reason

    /// Why a space has not its full say.
    public enum Reason: Hashable, Sendable {
        /// The account has no keys of the space: nothing can be subscribed until it has, and that is as it should be.
        case noKeys
        /// The keys could not be had; the space's topics are left out.
        case keysUnavailable(reason: String)
        /// The chats could not be listed and are not known from before; the space's topics are left out.
        case chatsUnavailable(reason: String)
        /// The chats could not be listed; those known from before are named.
        case chatsRemembered(reason: String)
    }

    /// Whether a later round may do better, so that this one does not count as landed.
    var isFailure: Bool { reason != .noKeys }
}

extension LeftOutSpace.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noKeys: "left out: the account has no keys of it"
        case .keysUnavailable(let reason): "left out: its keys can not be had: \(reason)"
        case .chatsUnavailable(let reason): "left out: its chats can not be listed: \(reason)"
        case .chatsRemembered(let reason): "with the chats known from before: they can not be listed: \(reason)"
        }
    }
}

/// What a ``TopicReconciler`` has done, for `any push doctor`.
public struct ReconcileStatus: Hashable, Sendable {
    /// Rounds that have ended.
    public var rounds: UInt64 = 0
    /// Times that all topics were sent and the node took them.
    public var sent: UInt64 = 0
    /// The last round that has ended.
    public var last: Round?
    /// How long ago the node was last known to hold what it should, `nil` when it never was.
    public var sinceLanded: Duration?

    /// Nothing done yet.
    public init() {}

    /// What one round did.
    public struct Round: Hashable, Sendable {
        /// How long ago it ended.
        public var age = Duration.zero
        /// How long it took.
        public var duration = Duration.zero
        /// What became of the topics.
        public var result = Result.failed
        /// Whether the node is known to hold exactly what the user's settings ask for. When not, another round follows.
        public var isLanded = false
        /// Why it did not get to its end, `nil` when it did.
        public var error: ReconcileError?
        /// How many spaces took part.
        public var spaces = 0
        /// How many topics are wanted.
        public var topics = 0
        /// The spaces that had not their full say.
        public var leftOut: [LeftOutSpace] = []
        /// The spaces that should be registered and are not, by id.
        public var unregistered: [String] = []
        /// Whether the node holds the device's token, or no token as it should; `nil` without a token store.
        public var isTokenSettled: Bool?

        /// An empty round.
        public init() {}
    }

    /// What became of a round's topics.
    public enum Result: String, Hashable, Sendable {
        /// The node took them.
        case sent
        /// The node has them already.
        case unchanged
        /// The round did not get to its end.
        case failed
    }
}
