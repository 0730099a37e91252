// What each content does, after the rules of ``ACLState`` have allowed it when they are asked (protocol.md §2). Trusted
// contents are still refused when they make no sense: they name accounts or requests that the log does not know.
extension ACLJournal {
    /// Applies one content. When it throws, what was changed so far is for the caller to take back.
    mutating func apply(_ content: ACLContent, _ origin: ACLOrigin) throws(ACLError.Reason) {
        switch content {
        case .invite(let content): try apply(content, origin)
        case .inviteChange(let content): try apply(content, origin)
        case .inviteRevoke(let content): try apply(content, origin)
        case .requestJoin(let content): try apply(content, origin)
        case .requestAccept(let content): try apply(content, origin)
        case .requestDecline(let content): try apply(content, origin)
        case .requestCancel(let content): try apply(content, origin)
        case .inviteJoin(let content): try apply(content, origin)
        case .accountsAdd(let content): try apply(content, origin)
        case .permissionChange(let content): try apply(content, origin)
        case .permissionChanges(let content):
            // Each sees the state after the one before it.
            for change in content.changes { try apply(change, origin) }
        case .ownershipChange(let content): try apply(content, origin)
        case .accountRequestRemove: try applyRequestRemove(origin)
        case .accountRemove(let content): try apply(content, origin)
        case .readKeyChange(let content):
            if origin.isChecked { _ = try state.requireManager(origin.author) }
            try apply(content, origin)
        case .spaceOptionsChange:
            if origin.isChecked { try state.requireOwner(origin.author) }
        case .unknown:
            guard origin.rules != .new else { throw .unknownContent }
        }
    }

    // MARK: Invites

    private mutating func apply(_ invite: ACLContent.Invite, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.check(invite, by: origin.author) }
        let key = try state.publicKey(invite.inviteKey, .inviteKey)
        setInvite(
            origin.recordId,
            ACLInvite(
                recordId: origin.recordId, author: origin.author, key: key, type: invite.inviteType,
                permissions: invite.permissions, encryptedReadKey: invite.encryptedReadKey.map { Array($0) }
            )
        )
    }

    private mutating func apply(_ change: ACLContent.InviteChange, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.check(change, by: origin.author) }
        guard var invite = state.inviteTable[change.inviteRecordId] else { return }
        invite.permissions = change.permissions
        setInvite(invite.recordId, invite)
    }

    private mutating func apply(_ revoke: ACLContent.InviteRevoke, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.check(revoke, by: origin.author) }
        guard state.inviteTable[revoke.inviteRecordId] != nil else { return }
        setInvite(revoke.inviteRecordId, nil)
    }

    // MARK: Requests

    private mutating func apply(_ join: ACLContent.RequestJoin, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.check(join, by: origin.author) }
        request(.join, metadata: Array(join.metadata), origin)
        let generation = state.generations.count - 1
        update(position(of: origin.author)) { account in
            account.permissions = .none
            account.status = .joining
            account.encryptedMetadata = Array(join.metadata)
            account.generation = generation
        }
    }

    private mutating func applyRequestRemove(_ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.checkRequestRemove(by: origin.author) }
        guard state.accountPositions[origin.author] != nil else { throw .noSuchAccount(origin.author) }
        request(.remove, metadata: [], origin)
        update(position(of: origin.author)) { $0.status = .removing }
    }

    private mutating func request(_ kind: ACLRequest.Kind, metadata: [UInt8], _ origin: ACLOrigin) {
        let request = ACLRequest(
            recordId: origin.recordId, identity: origin.author, kind: kind, encryptedMetadata: metadata,
            generation: kind == .join ? state.generations.count - 1 : nil
        )
        setRequest(origin.recordId, request)
        update(position(of: origin.author)) { $0.pendingRequestId = origin.recordId }
    }

    private func openRequest(_ recordId: String) throws(ACLError.Reason) -> ACLRequest {
        guard let request = state.requestTable[recordId] else { throw .noSuchRequest(recordId: recordId) }
        return request
    }

    private mutating func close(_ request: ACLRequest, _ change: (inout ACLAccount) -> Void = { _ in }) {
        setRequest(request.recordId, nil)
        update(position(of: request.identity)) { account in
            account.pendingRequestId = nil
            change(&account)
        }
    }

    private mutating func apply(_ decline: ACLContent.RequestDecline, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { _ = try state.requireManager(origin.author) }
        let request = try openRequest(decline.requestRecordId)
        guard !origin.isChecked || request.kind == .join else { throw .noSuchRequest(recordId: request.recordId) }
        // Who came in by another way would stay a member that was declined.
        if origin.rules == .new { try state.requireNoMember(request.identity) }
        close(request) { $0.status = .declined }
    }

    private mutating func apply(_ cancel: ACLContent.RequestCancel, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let request = try openRequest(cancel.recordId)
        guard !origin.isChecked || request.identity == origin.author else {
            throw .wrongIdentity(expected: request.identity, found: origin.author)
        }
        close(request) { $0.status = request.kind == .join ? .canceled : .active }
    }

    private mutating func apply(_ accept: ACLContent.RequestAccept, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let author = origin.isChecked ? try state.requireManager(origin.author) : .none
        let request = try openRequest(accept.requestRecordId)
        // The reference lets a request to leave be accepted too, which would take an admin's role without the owner; what is
        // in a log stays, nothing of the kind comes in.
        guard origin.rules != .new || request.kind == .join else { throw .noSuchRequest(recordId: request.recordId) }
        let identity = try state.publicKey(accept.identity, .identity)
        if origin.isChecked { try state.check(accept, of: identity, request, by: author) }
        if origin.rules == .new { try state.checkNewcomer(identity, accept.permissions) }
        close(request)
        update(position(of: identity)) { account in
            account.permissions = accept.permissions
            account.status = .active
            account.encryptedMetadata = request.encryptedMetadata
            account.generation = request.generation
        }
        if identity == state.identity { try unlock(with: accept.encryptedReadKey, isChecked: origin.isChecked) }
    }

    // MARK: Coming in without a request

    private mutating func apply(_ join: ACLContent.InviteJoin, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try state.check(join, by: origin.author) }
        let identity = try state.publicKey(join.identity, .identity, author: origin.author)
        let invited = state.inviteTable[join.inviteRecordId]?.permissions ?? .none
        let permissions = join.permissions.isMember ? join.permissions : invited
        let position = position(of: identity)
        settleRequest(of: position)
        admit(position, permissions, metadata: join.metadata)
        if identity == state.identity { try unlock(with: join.encryptedReadKey ?? [], isChecked: origin.isChecked) }
    }

    private mutating func apply(_ add: ACLContent.AccountsAdd, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let author = origin.isChecked ? try state.requireManager(origin.author) : .none
        let identities = try state.publicKeys(add.additions.map(\.identity), .identity)
        // All are judged by the state before the first.
        for (addition, identity) in zip(add.additions, identities) where origin.isChecked {
            try state.check(addition, of: identity, by: author)
        }
        for (addition, identity) in zip(add.additions, identities) {
            admit(position(of: identity), addition.permissions, metadata: addition.metadata)
            if identity == state.identity { try unlock(with: addition.encryptedReadKey, isChecked: origin.isChecked) }
        }
    }

    private mutating func admit(_ position: Int, _ permissions: ACLPermissions, metadata: ArraySlice<UInt8>) {
        let generation = state.generations.count - 1
        update(position) { account in
            account.permissions = permissions
            account.status = .active
            account.encryptedMetadata = Array(metadata)
            account.generation = generation
        }
    }

    // MARK: Roles

    private mutating func apply(_ change: ACLContent.PermissionChange, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let identity = try state.publicKey(change.identity, .identity)
        if origin.isChecked { try state.check(change, of: identity, by: origin.author) }
        update(position(of: identity)) { $0.permissions = change.permissions }
    }

    private mutating func apply(_ change: ACLContent.OwnershipChange, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let identity = try state.publicKey(change.newOwnerIdentity, .identity)
        if origin.isChecked { try state.check(change, to: identity, by: origin.author) }
        update(position(of: origin.author)) { $0.permissions = change.oldOwnerPermissions }
        update(position(of: identity)) { $0.permissions = .owner }
    }
}
