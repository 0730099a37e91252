import PushAPI

/// What the node grants each caller.
public struct ServiceLimits: Hashable, Sendable {
    /// Topics of one Notify or NotifySilent: a message that mentions 500 members has 1002.
    public var topicsPerNotification = 1024
    /// Topics of one Subscribe, SubscribeAll or Unsubscribe, and so of an account (``PushAPI/TopicLimits``).
    public var topicsPerAccount = TopicLimits().count
    /// Bytes of their space keys and names together (``PushAPI/TopicLimits``).
    public var topicBytesPerAccount = TopicLimits().bytes
    /// The length of a topic's name in bytes; the longest that clients make has 119 (protocol.md §3).
    public var topicNameBytes = 256
    /// The length of a device token in bytes (``PushAPI/SetTokenRequest``).
    public var tokenBytes = SetTokenRequest.maximumTokenByteCount
    /// Devices of one account.
    public var devicesPerAccount = 256
    /// Accounts that register one device token: those of one phone, or of whoever has learned its token.
    public var accountsPerToken = 16
    /// Spaces that one account registers.
    public var spacesPerAccount = 10_000
    /// Notifications in the queue, of all callers together; one of more than 8 KiB with its topics counts as several.
    public var queuedNotifications = 100_000
    /// One account may have as many places of the queue as are free, divided by this: alone 11,111 of 100,000, and less
    /// the more others have.
    public var queueShareDivisor = 8
    /// Accepted notifications of one account that are known when they come again, the newest ones, each for its lifetime.
    /// Alone a busy account sends as many in eleven minutes; its tries again come within one.
    public var repeatsPerAccount = 65_536
    /// The same of all accounts together; each takes about 100 bytes of the store.
    public var repeats = 1_000_000
    /// How often an account may call.
    public var rates = CallRates()
    /// Topic signatures that are remembered as good.
    public var verifiedTopics = 65_536

    /// Devices of which it is known what became of their last notifications; each takes up to a kilobyte of
    /// memory.
    public var outcomeDevices = 16_384

    /// The defaults named at each property.
    public init() {}

    /// What bounds the queue.
    var queue: QueueLimits {
        QueueLimits(
            places: queuedNotifications, shareDivisor: queueShareDivisor,
            repeats: RepeatLimits(perSender: repeatsPerAccount, total: repeats)
        )
    }

    /// What the transport must take for an account's topics to fit one request.
    var topicRequestBytes: Int {
        var topics = TopicLimits()
        (topics.count, topics.bytes) = (topicsPerAccount, topicBytesPerAccount)
        return topics.requestBytes
    }
}
