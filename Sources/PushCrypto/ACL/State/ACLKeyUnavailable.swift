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
    /// The account is a member, but the current read key, which this record made, was not given to it, or in a form that
    /// does not open. It has a key again when a later record gives it one.
    case leftOut(recordId: String)
    /// The account is a member, but the current read key does not lead it down to the first one, whose metadata key
    /// notifications need.
    case firstKeyOutOfReach
    /// The space is a derived one, which has no metadata key, hence no push keys.
    case noMetadataKey
    /// The metadata key of the root is no usable key.
    case metadataKeyUnusable

    /// Whether the account is a member, whom a new read key would help.
    package var isAMembersLack: Bool {
        switch self {
        case .leftOut, .firstKeyOutOfReach: true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .noAccount: "no account key was given"
        case .neverMember: "the account never was a member of the space"
        case .pending: "the account's request to join the space has no answer yet"
        case .declined: "the account's request to join the space was declined"
        case .canceled: "the account took back its request to join the space"
        case .removed: "the account was removed from the space"
        case .noPermissions: "the account has no permissions in the space"
        case .leftOut(let recordId):
            "the space's current key, of record \(recordId), was not given to this account; ask an admin to rotate it"
        case .firstKeyOutOfReach:
            "the space's first key was not given to this account; ask an admin to rotate the key, then to add it again"
        case .noMetadataKey: "the space has no metadata key"
        case .metadataKeyUnusable: "the space's first metadata key is no usable key"
        }
    }
}
