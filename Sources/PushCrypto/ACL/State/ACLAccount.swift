/// An account of a space, as the log has it.
public struct ACLAccount: Hashable, Sendable {
    /// Whose account it is.
    public let identity: PublicKey
    /// What it may do now.
    public internal(set) var permissions: ACLPermissions
    /// Where it stands now.
    public internal(set) var status: ACLStatus
    /// What it says about itself, encrypted to the metadata key of ``generation``.
    public internal(set) var encryptedMetadata: [UInt8]
    /// The position in ``ACLState/generations`` of the metadata key that opens ``encryptedMetadata``; `nil` for an account
    /// that the log knows by its permissions only.
    public internal(set) var generation: Int?
    /// The record of its request that nobody has answered.
    public internal(set) var pendingRequestId: String?

    /// Whether the account is a member now.
    public var isMember: Bool { permissions.isMember }
}

/// A live invite.
public struct ACLInvite: Hashable, Sendable {
    /// The record that made it.
    public let recordId: String
    /// Who made it.
    public let author: PublicKey
    /// The public half of the key that the invited hold.
    public let key: PublicKey
    /// How one comes in by it.
    public let type: ACLInviteType
    /// What who comes in by it may do, when it needs no approval.
    public internal(set) var permissions: ACLPermissions
    /// The current read key, encrypted to ``key``, when it needs no approval.
    var encryptedReadKey: [UInt8]?
}

/// A request that nobody has answered.
public struct ACLRequest: Hashable, Sendable {
    /// What is asked for.
    public enum Kind: Hashable, Sendable {
        case join
        case remove
    }

    /// The record that made it.
    public let recordId: String
    /// Who asks.
    public let identity: PublicKey
    /// What is asked for.
    public let kind: Kind
    /// What the account says about itself, encrypted to the metadata key of ``generation``.
    public let encryptedMetadata: [UInt8]
    /// The position in ``ACLState/generations`` of the metadata key that opens ``encryptedMetadata``; `nil` in a request to
    /// be removed.
    public let generation: Int?
}
