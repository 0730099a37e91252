public import PushAPI

/// What the service has done since the start.
public struct ServiceStatus: Hashable, Sendable {
    /// Calls that were answered.
    public var answered: [PushRPC: UInt64] = [:]
    /// Calls that were refused, by reason.
    public var refused: [RefusalReason: UInt64] = [:]
    /// Notifications that were queued.
    public var accepted: UInt64 = 0
    /// Notifications that had been queued before; they are answered like the others and brought once.
    public var repeated: UInt64 = 0
    /// Notifications that nobody is subscribed to; they are answered like the others.
    public var reachedNobody: UInt64 = 0
    /// Topics of other accounts that were asked for and left out.
    public var foreignTopics: UInt64 = 0
    /// Topics whose signature is remembered as good.
    public var topicsRemembered = 0
    /// Topics found among those remembered.
    public var topicHits: UInt64 = 0
    /// Topics whose signature had to be checked.
    public var topicMisses: UInt64 = 0

    /// Nothing done yet.
    public init() {}
}
