public import PushAPI
public import SQLiteStorage

/// How a push node keeps and forwards notifications; what it listens on is said beside it.
public struct NodeConfiguration: Sendable {
    /// The SQLite file of the store. Its folder must exist; the file is created with mode 0600 when there is none. It
    /// belongs to the node that uses it first: another peer id is refused.
    public var storePath: String
    /// Whether there may be no store yet. A host that knows that there was one says so, and a lost file is refused.
    public var storeExpectation = StoreExpectation.mayBeNew
    /// How much the store may take of its disk.
    public var storeLimits = StoreLimits()
    /// Who brings notifications to the devices of each platform. Devices of a platform without one get nothing.
    public var forwarders: [Platform: any Forwarder]
    /// What a phone shows when it can not open a notification. The forwarders must have been given the same.
    public var texts = DefaultTexts()
    /// How long a notification is worth delivering: a provider that is down for longer loses it.
    public var notificationLifetime = Duration.seconds(86_400)
    /// What each caller is granted.
    public var serviceLimits = ServiceLimits()
    /// What the lane of each platform does at once.
    public var laneLimits = LaneLimits()
    /// The node's time.
    public var clock: any NodeClock = SystemClock()
    /// Spreads tries that failed together; need not be unpredictable.
    public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// Is told what an operator should know, each kind at most once in ``eventInterval``. Returns at once: the node waits for
    /// it.
    public var onEvent: @Sendable (NodeEvent) -> Void = { _ in }

    /// The shortest time between two events of one kind.
    public static let eventInterval = Duration.seconds(10)

    /// A configuration with the defaults named at each property.
    ///
    /// - Parameters:
    ///   - storePath: the SQLite file of the store.
    ///   - forwarders: who brings notifications to the devices of each platform.
    public init(storePath: String, forwarders: [Platform: any Forwarder]) {
        self.storePath = storePath
        self.forwarders = forwarders
    }
}
