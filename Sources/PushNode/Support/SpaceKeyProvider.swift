public import PushCrypto

/// Where a space's keys come from: they are derived from its ACL when they are needed, and cached in memory only.
public protocol SpaceKeyProvider: Sendable {
    /// The keys of a space, current.
    ///
    /// - Returns: `nil` when the account has none: it is not a member now (pending, removed, never one), or the space
    ///   has no metadata key. A removed member still derives the space push key, so this is a question of membership,
    ///   not of whether a key derives (protocol.md §2).
    /// - Throws: when that could not be found out, or `ACLKeyUnavailable` when the account is a member that was not given the
    ///   keys. The error carries no key and no text of the user's.
    func keys(of spaceId: String) async throws -> SpacePushKeys?
}
