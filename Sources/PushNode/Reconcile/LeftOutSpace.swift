public import PushCrypto

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
        /// The account is a member that was not given the keys; somebody else has to rotate them.
        case keysNotGiven(ACLKeyUnavailable)
        /// The keys could not be had; the space's topics are left out.
        case keysUnavailable(reason: String)
        /// The chats could not be listed and are not known from before; the space's topics are left out.
        case chatsUnavailable(reason: String)
        /// The chats could not be listed; those known from before are named.
        case chatsRemembered(reason: String)
        /// The account has more topics than a node takes (``TopicLimits``): so many of the space's are left out.
        case tooManyTopics(leftOut: Int)
    }

    /// Whether a later round may do better, so that this one does not count as landed.
    var isFailure: Bool {
        switch reason {
        case .noKeys, .keysNotGiven, .tooManyTopics: false
        case .keysUnavailable, .chatsUnavailable, .chatsRemembered: true
        }
    }
}

extension LeftOutSpace.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noKeys: "left out: the account has no keys of it"
        case .keysNotGiven(let reason): "left out: \(reason)"
        case .keysUnavailable(let reason): "left out: its keys can not be had: \(reason)"
        case .chatsUnavailable(let reason): "left out: its chats can not be listed: \(reason)"
        case .chatsRemembered(let reason): "with the chats known from before: they can not be listed: \(reason)"
        case .tooManyTopics(let count):
            "without \(count) of its topics: the account has more than a node takes; chats that follow their space's "
                + "mode need none of their own"
        }
    }
}
