import PushAPI
import SQLiteStorage

/// A lane, whatever its provider.
protocol DeliveryLane: Sendable {
    /// The platform whose devices it reaches.
    var platform: Platform { get }

    /// Takes up what an earlier process left. To be called once, before anything is added.
    func load() async throws(StoreError)

    /// Adds a notification that was accepted.
    func add(_ notification: QueuedNotification) async

    /// Works until the task is cancelled, or finished: then deliveries that are not due now are left for the next start.
    func run() async

    /// Lets ``run()`` return as soon as nothing is left to do now.
    func finish() async

    /// What it does and did.
    var status: LaneStatus { get async }
}

/// What a lane does, and has done since the start.
public struct LaneStatus: Hashable, Sendable {
    /// Notifications whose subscribers are not all matched.
    public var queued = 0
    /// Deliveries under way.
    public var inFlight = 0
    /// Deliveries that the provider took.
    public var delivered: UInt64 = 0
    /// Deliveries that ended because the provider said that the token is nobody's.
    public var tokensGone: UInt64 = 0
    /// Deliveries given up because the provider does not take the notification.
    public var payloadFaults: UInt64 = 0
    /// Deliveries given up because their time was over.
    public var expired: UInt64 = 0
    /// Deliveries given up because the device was revoked or its token dropped meanwhile.
    public var withoutDevice: UInt64 = 0
    /// Notifications whose time was over before all of their subscribers were matched.
    public var expiredNotifications: UInt64 = 0
    /// Tries that were put off.
    public var retried: UInt64 = 0
    /// Tries that failed because the node is set up wrongly for the provider; each is counted as retried or expired too.
    public var misconfigured: UInt64 = 0

    /// Nothing done yet.
    public init() {}
}
