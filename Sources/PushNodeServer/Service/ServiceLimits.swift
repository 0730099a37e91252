/// What the node grants each caller.
public struct ServiceLimits: Hashable, Sendable {
    /// Topics of one Notify or NotifySilent: a message that mentions 500 members has 1002.
    public var topicsPerNotification = 1024
    /// Topics of one Subscribe, SubscribeAll or Unsubscribe, and so of an account.
    public var topicsPerAccount = 8192
    /// The length of a topic's name in bytes; the longest that clients make has 119 (protocol.md §3).
    public var topicNameBytes = 256
    /// The length of a device token in bytes. Providers name no limit; a UnifiedPush endpoint may have 1000.
    public var tokenBytes = 2048
    /// Devices of one account.
    public var devicesPerAccount = 256
    /// Accounts that register one device token: those of one phone, or of whoever has learned its token.
    public var accountsPerToken = 16
    /// Spaces that one account registers.
    public var spacesPerAccount = 10_000
    /// Notifications in the queue, of all callers together.
    public var queuedNotifications = 100_000
    /// Topic signatures that are remembered as good.
    public var verifiedTopics = 65_536

    /// The defaults named at each property.
    public init() {}
}
