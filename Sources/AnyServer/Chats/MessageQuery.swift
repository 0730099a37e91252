import PushCrypto

/// Which messages of a chat are asked for.
struct MessageQuery: Hashable, Sendable {
    /// Those that mention this identity.
    var mentioning: PublicKey?
    /// Those that are unread, or are not.
    var isUnread: Bool?
    /// Those with a mention of this account that is unread, or without.
    var isUnreadMention: Bool?
    /// Those before this place, see ``ChangeOrder/versionId``.
    var before: String?
    /// Those after this place.
    var after: String?
    /// Whether what is left of deleted messages is asked for too.
    var includesDeleted = false
    /// Newest first.
    var isDescending = true
    /// At most so many; no more than ``ChatLimits/pageMessages`` are given in any case.
    var limit = 50
}
