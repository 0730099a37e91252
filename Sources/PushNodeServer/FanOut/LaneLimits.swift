/// What one lane does at once.
public struct LaneLimits: Hashable, Sendable {
    /// Deliveries under way, at least 1.
    public var concurrentDeliveries = 512
    /// Devices matched in one step, which is also about one turn of a sender: what another sender waits at most for each that has more to do.
    public var matchedAtOnce = 256
    /// The time between tries of a delivery.
    public var backoff = Backoff()
    /// The longest time between two tries that a provider may ask for: what it says of a date may be wrong by any step of
    /// a clock.
    public var longestProviderWait = Duration.seconds(3600)
    /// How long nothing is tried after a forwarder said that it is misconfigured.
    public var misconfigurationPause = Duration.seconds(60)
    /// How long nothing is tried after the store failed.
    public var storePause = Duration.seconds(1)

    /// The defaults named at each property.
    public init() {}
}
