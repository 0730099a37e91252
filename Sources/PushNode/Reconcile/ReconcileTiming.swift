/// The times and counts that a ``TopicReconciler`` keeps to.
public struct ReconcileTiming: Hashable, Sendable {
    /// The time without a further space-list event after which a round runs (any-api.md, "Reconciler": 250 ms).
    public var debounce = Duration.milliseconds(250)
    /// The longest that a burst of space-list events puts a round off.
    public var debouncePatience = Duration.seconds(5)
    /// The time between rounds without any cause (any-api.md: 5 minutes).
    public var interval = Duration.seconds(300)
    /// The time for one round (any-api.md: 1 minute).
    public var roundBudget = Duration.seconds(60)
    /// The time that a round waits for the device's token to be forwarded (any-api.md: 5 s).
    public var tokenBudget = Duration.seconds(5)
    /// The time that a round spends on registering spaces, so that the rest is left for the topics.
    public var registrationBudget = Duration.seconds(30)
    /// The waits before a round that did not land is repeated.
    public var backoff = Backoff(initial: .seconds(1), maximum: .seconds(300))
    /// How long the node's confirmations are believed: then a round asks it which topics it holds, and registers the spaces
    /// again.
    public var checkInterval = Duration.seconds(3600)
    /// How often one round reads anew because of writes that came while it ran. Another round follows in any case.
    public var rereadLimit = 8

    /// The defaults named at each property.
    public init() {}
}
