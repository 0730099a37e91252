/// How far the contents of a record are trusted.
enum ACLRules: Hashable, Sendable {
    /// The network has judged them.
    case trusted
    /// They are checked: who may do what.
    case checked
    /// They are checked, and the record is new: it must do something, and nothing that can not be checked.
    case new
}

/// What a content is a part of.
struct ACLOrigin {
    let recordId: String
    let author: PublicKey
    let rules: ACLRules

    var isChecked: Bool { rules != .trusted }
}

// Who may do what: the table of protocol.md §2. Each function throws unless its row allows the content.
extension ACLState {
    // The longest metadata of an account that comes in by an invite, in bytes.
    static let maximumMetadataLength = 1024

    /// The permissions of an author who must be owner or admin.
    func requireManager(_ author: PublicKey) throws(ACLError.Reason) -> ACLPermissions {
        let permissions = permissions(of: author)
        guard permissions.canManageAccounts else { throw .notAllowed(author: permissions) }
        return permissions
    }

    func requireOwner(_ author: PublicKey) throws(ACLError.Reason) {
        let permissions = permissions(of: author)
        guard permissions == .owner else { throw .notAllowed(author: permissions) }
    }

    /// Nobody is made owner but by a change of ownership, and only the owner makes admins.
    private func requireGrantable(
        _ permissions: ACLPermissions, by author: ACLPermissions
    ) throws(ACLError.Reason) {
        guard permissions != .owner, permissions != .admin || author == .owner else {
            throw .permissionsNotAllowed(permissions)
        }
    }

    /// What an invite without approval may give.
    private func requireInvitable(
        _ permissions: ACLPermissions, by author: ACLPermissions
    ) throws(ACLError.Reason) {
        try requireGrantable(permissions, by: author)
        guard permissions != .none, permissions != .guest else { throw .permissionsNotAllowed(permissions) }
    }

    // MARK: Invites

    func check(_ invite: ACLContent.Invite, by author: PublicKey) throws(ACLError.Reason) {
        let author = try requireManager(author)
        guard invite.inviteType == .anyoneCanJoin else { return }
        try requireInvitable(invite.permissions, by: author)
        guard invite.encryptedReadKey != nil else { throw .missing(.readKey) }
    }

    func check(_ change: ACLContent.InviteChange, by author: PublicKey) throws(ACLError.Reason) {
        let author = try requireManager(author)
        let invite = try liveInvite(change.inviteRecordId, .anyoneCanJoin)
        guard invite.permissions != change.permissions else { throw .permissionsUnchanged(change.permissions) }
        try requireInvitable(change.permissions, by: author)
    }

    func check(_ revoke: ACLContent.InviteRevoke, by author: PublicKey) throws(ACLError.Reason) {
        _ = try requireManager(author)
        guard inviteTable[revoke.inviteRecordId] != nil else { throw .noSuchInvite(recordId: revoke.inviteRecordId) }
    }

    private func liveInvite(_ recordId: String, _ type: ACLInviteType) throws(ACLError.Reason) -> ACLInvite {
        guard let invite = inviteTable[recordId], invite.type == type else { throw .noSuchInvite(recordId: recordId) }
        return invite
    }

    // MARK: Joining

    func check(_ join: ACLContent.RequestJoin, by author: PublicKey) throws(ACLError.Reason) {
        let invite = try liveInvite(join.inviteRecordId, .requestToJoin)
        try checkJoiner(join.inviteIdentity, author)
        if let pending = account(author)?.pendingRequestId { throw .requestPending(recordId: pending) }
        try checkInvited(author, by: invite, join.inviteIdentitySignature, join.metadata)
    }

    func check(_ join: ACLContent.InviteJoin, by author: PublicKey) throws(ACLError.Reason) {
        let invite = try liveInvite(join.inviteRecordId, .anyoneCanJoin)
        try checkJoiner(join.identity, author)
        guard join.permissions.isWithin(invite.permissions) else { throw .permissionsNotAllowed(join.permissions) }
        try checkInvited(author, by: invite, join.inviteIdentitySignature, join.metadata)
        guard join.encryptedReadKey != nil else { throw .missing(.readKey) }
    }

    private func checkJoiner(_ marshalled: ArraySlice<UInt8>, _ author: PublicKey) throws(ACLError.Reason) {
        try requireNoMember(author)
        let identity = try publicKey(marshalled, .identity, author: author)
        guard identity == author else { throw .wrongIdentity(expected: author, found: identity) }
    }

    private func checkInvited(
        _ author: PublicKey, by invite: ACLInvite, _ signature: ArraySlice<UInt8>, _ metadata: ArraySlice<UInt8>
    ) throws(ACLError.Reason) {
        guard invite.key.isValidSignature(signature, for: author.rawRepresentation) else {
            throw .signatureInvalid(.inviteIdentitySignature)
        }
        guard metadata.count <= Self.maximumMetadataLength else {
            throw .metadataTooLong(maximum: Self.maximumMetadataLength, found: metadata.count)
        }
    }

    func check(
        _ accept: ACLContent.RequestAccept, of identity: PublicKey, _ request: ACLRequest, by author: ACLPermissions
    ) throws(ACLError.Reason) {
        guard identity == request.identity else { throw .wrongIdentity(expected: request.identity, found: identity) }
        try requireGrantable(accept.permissions, by: author)
    }

    /// Whom a request lets in. The reference does not look at it: a request that an addition left open, accepted later,
    /// would make an admin a reader, or leave the space without its owner.
    func checkNewcomer(_ identity: PublicKey, _ permissions: ACLPermissions) throws(ACLError.Reason) {
        try requireNoMember(identity)
        guard permissions.isMember else { throw .permissionsNotAllowed(permissions) }
    }

    func requireNoMember(_ identity: PublicKey) throws(ACLError.Reason) {
        guard !permissions(of: identity).isMember else { throw .alreadyMember(identity) }
    }

    func check(
        _ addition: ACLContent.Addition, of identity: PublicKey, by author: ACLPermissions
    ) throws(ACLError.Reason) {
        try requireNoMember(identity)
        try requireGrantable(addition.permissions, by: author)
        guard addition.permissions.isMember else { throw .permissionsNotAllowed(addition.permissions) }
    }

    // MARK: Roles

    func check(
        _ change: ACLContent.PermissionChange, of identity: PublicKey, by author: PublicKey
    ) throws(ACLError.Reason) {
        let author = try requireManager(author)
        guard let account = account(identity) else { throw .noSuchAccount(identity) }
        let current = account.permissions
        guard current != .owner, current != .guest, current != .admin || author == .owner else {
            throw .accountNotAllowed(current)
        }
        try requireGrantable(change.permissions, by: author)
        guard change.permissions != .guest || current == .reader else {
            throw .permissionsNotAllowed(change.permissions)
        }
    }

    func check(
        _ change: ACLContent.OwnershipChange, to identity: PublicKey, by author: PublicKey
    ) throws(ACLError.Reason) {
        try requireOwner(author)
        guard let account = account(identity), account.isMember else { throw .noSuchAccount(identity) }
        guard account.status == .active, account.permissions != .owner else {
            throw .accountNotAllowed(account.permissions)
        }
        let oldOwner = change.oldOwnerPermissions
        guard oldOwner != .owner, oldOwner.isMember else { throw .permissionsNotAllowed(oldOwner) }
    }

    // MARK: Leaving

    /// A guest is as good as a reader but for this: it does not ask to leave.
    func checkRequestRemove(by author: PublicKey) throws(ACLError.Reason) {
        let account = account(author)
        let permissions = account?.permissions ?? .none
        guard permissions.isMember, permissions != .owner, permissions != .guest else {
            throw .notAllowed(author: permissions)
        }
        if let pending = account?.pendingRequestId { throw .requestPending(recordId: pending) }
    }

    func checkRemoval(
        of identity: PublicKey, by author: PublicKey, _ authorPermissions: ACLPermissions
    ) throws(ACLError.Reason) {
        let permissions = permissions(of: identity)
        guard permissions.isMember else { throw .noSuchAccount(identity) }
        guard identity != author, permissions != .owner, permissions != .admin || authorPermissions == .owner else {
            throw .accountNotAllowed(permissions)
        }
    }
}
