/// A change that an account makes to a space: one content of a record (protocol.md §2).
public enum ACLChange: Sendable {
    /// Makes an invite by which one asks to join.
    ///
    /// - Parameter key: the public half of a key made for it; the private half goes to whoever is invited.
    case inviteToAsk(key: PublicKey)
    /// Makes an invite by which one joins without approval.
    ///
    /// - Parameters:
    ///   - key: as for ``inviteToAsk(key:)``.
    ///   - permissions: the most that one gets by it.
    case invite(key: PublicKey, permissions: ACLPermissions)
    /// Changes what one gets by an invite without approval.
    case changeInvite(recordId: String, permissions: ACLPermissions)
    /// Ends an invite.
    case revokeInvite(recordId: String)
    /// Asks to join.
    ///
    /// - Parameters:
    ///   - inviteKey: the private half of the invite's key.
    ///   - metadata: what the account says about itself, for members.
    case askToJoin(inviteKey: SigningKey, metadata: [UInt8])
    /// Joins by an invite without approval.
    ///
    /// - Parameters:
    ///   - inviteKey: the private half of the invite's key.
    ///   - permissions: at most the invite's; ``ACLPermissions/none`` takes the invite's.
    ///   - metadata: what the account says about itself, for members.
    case join(inviteKey: SigningKey, permissions: ACLPermissions, metadata: [UInt8])
    /// Lets an account in that has asked to.
    case accept(requestId: String, permissions: ACLPermissions)
    /// Does not let an account in that has asked to.
    case decline(requestId: String)
    /// Takes the author's own request back.
    case cancel(requestId: String)
    /// Lets accounts in, asked or not. The request of one that has asked is declined, so that nobody accepts it later.
    case add([NewMember])
    /// Changes what an account may do. Who is no member afterwards, or was none before, makes new keys necessary, which the
    /// record then makes too, as ``changeReadKey(_:keepsInvites:)`` does, unless a later change of it makes them.
    case setPermissions(of: PublicKey, to: ACLPermissions)
    /// Removes accounts, with new keys for those that stay, and revokes every invite: one that needs no approval is given
    /// every new key, and who is removed may hold it.
    case remove([PublicKey], keys: ACLKeys)
    /// Makes new keys.
    ///
    /// - Parameters:
    ///   - keys: the new ones.
    ///   - keepsInvites: whether live invites stay; they are revoked unless told. Those that need no approval are given the
    ///     new key, and with it whoever holds them.
    case changeReadKey(ACLKeys, keepsInvites: Bool = false)
    /// Asks to be removed.
    case askToLeave
    /// Gives the space to another member.
    ///
    /// - Parameters:
    ///   - newOwner: an active member.
    ///   - oldOwner: what the author may do from then on.
    case changeOwner(to: PublicKey, oldOwner: ACLPermissions)

    /// An account that is let in without having asked.
    public struct NewMember: Hashable, Sendable {
        public let identity: PublicKey
        public let permissions: ACLPermissions
        /// What the account says about itself, for members.
        public let metadata: [UInt8]

        public init(identity: PublicKey, permissions: ACLPermissions, metadata: [UInt8] = []) {
            self.identity = identity
            self.permissions = permissions
            self.metadata = metadata
        }
    }
}
