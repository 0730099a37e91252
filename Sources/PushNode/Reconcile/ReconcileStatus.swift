/// What a ``TopicReconciler`` has done, for `any push doctor`.
public struct ReconcileStatus: Hashable, Sendable {
    /// Rounds that have ended.
    public var rounds: UInt64 = 0
    /// Whether a round runs now.
    public var isRunning = false
    /// Whether a round runs or is about to, for something that has changed.
    public var isDue = false
    /// Times that all topics were sent and the node took them.
    public var sent: UInt64 = 0
    /// Topics of other devices of the account (``Round/others``) that were lost, because the node can not replace the
    /// account's topics without them, as the reference can not. The other device brings its own back when it looks at
    /// the node the next time.
    public var othersReplaced: UInt64 = 0
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
        /// How many topics the node holds of spaces that this device does not know, as far as it was asked: those of
        /// another device of the account. They stay.
        public var others = 0
        /// How many of those were lost with the round; see ``ReconcileStatus/othersReplaced``.
        public var othersReplaced = 0
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
