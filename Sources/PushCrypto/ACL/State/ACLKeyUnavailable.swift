/// Why an account has no key of a space. A key of an earlier time is never given in its place.
public enum ACLKeyUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The log was replayed without an account's key.
    case noAccount
    /// The account never was in the space.
    case neverMember
    /// The account has asked to join and has no answer yet.
    case pending
    /// The account's request to join was declined.
    case declined
    /// The account took its request to join back.
    case canceled
    /// The account was removed.
    case removed
    /// The account is in the space but all permissions were taken from it.
    case noPermissions
    /// The account is a member, but the record that made the current read key left it out. It has a key again when a later
    /// record names it.
    case leftOut(recordId: String)
    /// The space is a derived one, which has no metadata key, hence no push keys.
    case noMetadataKey
    /// The metadata key of the root is no usable key.
    case metadataKeyUnusable

    public var description: String {
        switch self {
        case .noAccount: "no account key was given"
        case .neverMember: "the account never was a member of the space"
        case .pending: "the account's request to join the space has no answer yet"
        case .declined: "the account's request to join the space was declined"
        case .canceled: "the account took back its request to join the space"
        case .removed: "the account was removed from the space"
        case .noPermissions: "the account has no permissions in the space"
        case .leftOut(let recordId): "record \(recordId) made a new read key and left the account out"
        case .noMetadataKey: "the space has no metadata key"
        case .metadataKeyUnusable: "the space's first metadata key is no usable key"
        }
    }
}
