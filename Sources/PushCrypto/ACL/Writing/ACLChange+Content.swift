extension ACLChange {
    /// What goes into the record, after the changes before it in the same record.
    ///
    /// - Parameters:
    ///   - state: the state that the change will find.
    ///   - author: the account that makes the change.
    func contents(in state: ACLState, by author: SigningKey) throws(ACLWriteError) -> [ACLContent] {
        switch self {
        case .inviteToAsk(let key):
            return [.invite(try Self.invite(key, in: state, permissions: nil))]
        case .invite(let key, let permissions):
            return [.invite(try Self.invite(key, in: state, permissions: permissions))]
        case .changeInvite(let recordId, let permissions):
            return [.inviteChange(.with { ($0.inviteRecordId, $0.permissions) = (recordId, permissions) })]
        case .revokeInvite(let recordId):
            return [Self.revoke(recordId)]
        case .askToJoin(let inviteKey, let metadata):
            return [.requestJoin(try Self.request(by: author, inviteKey, metadata, in: state))]
        case .join(let inviteKey, let permissions, let metadata):
            return [.inviteJoin(try Self.join(by: author, inviteKey, permissions, metadata, in: state))]
        case .accept(let requestId, let permissions):
            return [.requestAccept(try Self.accept(requestId, permissions, in: state))]
        case .decline(let requestId):
            return [Self.decline(requestId)]
        case .cancel(let requestId):
            return [.requestCancel(.with { $0.recordId = requestId })]
        case .add(let members):
            let requests = members.compactMap { state.openJoinRequest(of: $0.identity) }
            return requests.map(Self.decline) + [.accountsAdd(try Self.add(members, in: state))]
        case .setPermissions(let identity, let permissions):
            return [
                .permissionChanges(
                    .with { changes in
                        changes.changes = [
                            .with { ($0.identity, $0.permissions) = (identity.marshalled[...], permissions) }
                        ]
                    }
                )
            ]
        case .remove(let identities, let keys):
            var remove = ACLContent.AccountRemove()
            remove.identities = identities.map { $0.marshalled[...] }
            remove.readKeyChange = try Self.readKeyChange(keys, in: state, without: Set(identities))
            return Self.revokeInvites(of: state) + [.accountRemove(remove)]
        case .changeReadKey(let keys, let keepsInvites):
            let change = try Self.readKeyChange(keys, in: state, without: [], keepsInvites: keepsInvites)
            return (keepsInvites ? [] : Self.revokeInvites(of: state)) + [.readKeyChange(change)]
        case .askToLeave:
            return [.accountRequestRemove(ACLContent.AccountRequestRemove())]
        case .changeOwner(let newOwner, let oldOwner):
            return [
                .ownershipChange(
                    .with { ($0.newOwnerIdentity, $0.oldOwnerPermissions) = (newOwner.marshalled[...], oldOwner) }
                )
            ]
        }
    }

    private static func revoke(_ recordId: String) -> ACLContent {
        .inviteRevoke(.with { $0.inviteRecordId = recordId })
    }

    private static func revokeInvites(of state: ACLState) -> [ACLContent] {
        state.invites.map(\.recordId).sorted().map(revoke)
    }

    private static func decline(_ requestId: String) -> ACLContent {
        .requestDecline(.with { $0.requestRecordId = requestId })
    }

    private static func invite(
        _ key: PublicKey, in state: ACLState, permissions: ACLPermissions?
    ) throws(ACLWriteError) -> ACLContent.Invite {
        var invite = ACLContent.Invite()
        invite.inviteKey = key.marshalled[...]
        guard let permissions else { return invite }
        invite.inviteType = .anyoneCanJoin
        invite.permissions = permissions
        invite.encryptedReadKey = try state.readKeyToGive().encrypted(to: key)[...]
        return invite
    }

    private static func request(
        by author: SigningKey, _ inviteKey: SigningKey, _ metadata: [UInt8], in state: ACLState
    ) throws(ACLWriteError) -> ACLContent.RequestJoin {
        var request = ACLContent.RequestJoin()
        request.inviteIdentity = author.publicKey.marshalled[...]
        request.inviteRecordId = try state.inviteId(of: inviteKey.publicKey, .requestToJoin)
        request.inviteIdentitySignature = inviteKey.signature(for: author.publicKey.rawRepresentation)[...]
        request.metadata = try state.encryptedMetadata(metadata)
        return request
    }

    private static func join(
        by author: SigningKey, _ inviteKey: SigningKey, _ permissions: ACLPermissions, _ metadata: [UInt8],
        in state: ACLState
    ) throws(ACLWriteError) -> ACLContent.InviteJoin {
        let identity = author.publicKey
        guard let readKey = state.readKey(openedBy: inviteKey) else { throw .noInvite(key: inviteKey.publicKey) }
        var join = ACLContent.InviteJoin()
        join.identity = identity.marshalled[...]
        join.inviteRecordId = try state.inviteId(of: inviteKey.publicKey, .anyoneCanJoin)
        join.inviteIdentitySignature = inviteKey.signature(for: identity.rawRepresentation)[...]
        join.metadata = try state.encryptedMetadata(metadata)
        join.encryptedReadKey = try readKey.encrypted(to: identity)[...]
        join.permissions = permissions
        return join
    }

    private static func accept(
        _ requestId: String, _ permissions: ACLPermissions, in state: ACLState
    ) throws(ACLWriteError) -> ACLContent.RequestAccept {
        guard let request = state.request(requestId) else { throw .noSuchRequest(recordId: requestId) }
        var accept = ACLContent.RequestAccept()
        accept.identity = request.identity.marshalled[...]
        accept.requestRecordId = requestId
        accept.encryptedReadKey = try state.readKeyToGive().encrypted(to: request.identity)[...]
        accept.permissions = permissions
        return accept
    }

    private static func add(
        _ members: [NewMember], in state: ACLState
    ) throws(ACLWriteError) -> ACLContent.AccountsAdd {
        let readKey = try state.readKeyToGive()
        var add = ACLContent.AccountsAdd()
        for member in members {
            var addition = ACLContent.Addition()
            addition.identity = member.identity.marshalled[...]
            addition.permissions = member.permissions
            addition.metadata = try state.encryptedMetadata(member.metadata)
            addition.encryptedReadKey = try readKey.encrypted(to: member.identity)[...]
            add.additions.append(addition)
        }
        return add
    }

    private static func readKeyChange(
        _ keys: ACLKeys, in state: ACLState, without removed: Set<PublicKey>, keepsInvites: Bool = false
    ) throws(ACLWriteError) -> ACLContent.ReadKeyChange {
        var change = ACLContent.ReadKeyChange()
        change.metadataPublicKey = keys.metadataKey.publicKey.marshalled[...]
        change.encryptedMetadataKey = try keys.sealedMetadataKey()[...]
        change.encryptedOldReadKey = try keys.sealed(try state.readKeyToLeadTo())[...]
        for member in state.accounts where member.isMember && !removed.contains(member.identity) {
            change.accountKeys.append(try Self.key(keys.readKey, for: member.identity))
        }
        guard keepsInvites else { return change }
        let openInvites = state.invites.filter { $0.type == .anyoneCanJoin }
        for invite in openInvites.sorted(by: { $0.recordId < $1.recordId }) {
            change.inviteKeys.append(try Self.key(keys.readKey, for: invite.key))
        }
        return change
    }

    private static func key(
        _ readKey: SymmetricKey, for identity: PublicKey
    ) throws(ACLWriteError) -> ACLContent.EncryptedKey {
        var key = ACLContent.EncryptedKey()
        key.identity = identity.marshalled[...]
        key.encryptedReadKey = try readKey.encrypted(to: identity)[...]
        return key
    }
}

extension ACLState {
    fileprivate func readKeyToGive() throws(ACLWriteError) -> SymmetricKey {
        do throws(ACLKeyUnavailable) { return try currentReadKey() } catch { throw .keyUnavailable(error) }
    }

    /// The read key to which a new one leads down: that of the newest generation from which the account can go on. An
    /// account that was not given the current one, or was given one that leads nowhere, still makes a new one, so that
    /// nobody is locked out by who made these; whoever comes in later then passes them.
    fileprivate func readKeyToLeadTo() throws(ACLWriteError) -> SymmetricKey {
        guard permissions.isMember else { return try readKeyToGive() }
        let known = generations.indices.reversed().filter { generations[$0].readKey != nil }
        let sound = known.first { leadsOn(from: $0) } ?? known.first
        guard let key = sound.flatMap({ generations[$0].readKey }) else { return try readKeyToGive() }
        return key
    }

    /// Whether the read key of a generation opens that of one below it.
    private func leadsOn(from position: Int) -> Bool {
        guard position > 0 else { return true }
        guard
            let readKey = generations[position].readKey, let sealed = generations[position].sealedOldReadKey,
            let old = try? ACLSecrets.oldReadKey(sealed, with: readKey)
        else { return false }
        let below = generations[position - 1]
        if let readKey = below.readKey, readKey == old { return true }
        if (try? ACLSecrets.metadataKey(below.sealedMetadataKey, with: old)) != nil { return true }
        return generations[..<position].contains { $0.readKey == old }
    }

    fileprivate func inviteId(of key: PublicKey, _ type: ACLInviteType) throws(ACLWriteError) -> String {
        let ids = (inviteIds[key] ?? []).filter { inviteTable[$0]?.type == type }
        guard let id = ids.min() else { throw .noInvite(key: key) }
        return id
    }

    /// Metadata, encrypted to the metadata key of the current generation.
    fileprivate func encryptedMetadata(_ metadata: [UInt8]) throws(ACLWriteError) -> ArraySlice<UInt8> {
        guard let key = currentGeneration.metadataPublicKey else { throw .keyUnavailable(.noMetadataKey) }
        return try key.encrypted(metadata)[...]
    }
}

extension ACLMessage {
    /// A message that `fill` has filled in.
    fileprivate static func with(_ fill: (inout Self) -> Void) -> Self {
        var message = Self()
        fill(&message)
        return message
    }
}
