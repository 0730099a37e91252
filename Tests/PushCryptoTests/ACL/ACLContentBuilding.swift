@testable import PushCrypto

// Contents as an attacker might write them: well-formed, with any values.
extension FullHouse {
    func invite(
        _ type: ACLInviteType, _ permissions: ACLPermissions, readKey: ArraySlice<UInt8>? = [1]
    ) -> ACLContent {
        var invite = ACLContent.Invite()
        invite.inviteKey = Cast.key("another invite").publicKey.marshalled[...]
        invite.inviteType = type
        invite.permissions = permissions
        invite.encryptedReadKey = readKey
        return .invite(invite)
    }

    func inviteChange(_ id: String, _ permissions: ACLPermissions) -> ACLContent {
        var change = ACLContent.InviteChange()
        (change.inviteRecordId, change.permissions) = (id, permissions)
        return .inviteChange(change)
    }

    func inviteRevoke(_ id: String) -> ACLContent {
        var revoke = ACLContent.InviteRevoke()
        revoke.inviteRecordId = id
        return .inviteRevoke(revoke)
    }

    func requestJoin(
        _ identity: SigningKey, _ inviteId: String, signedBy key: SigningKey, metadataLength: Int = 0
    ) -> ACLContent {
        var join = ACLContent.RequestJoin()
        join.inviteIdentity = identity.publicKey.marshalled[...]
        join.inviteRecordId = inviteId
        join.inviteIdentitySignature = key.signature(for: identity.publicKey.rawRepresentation)[...]
        join.metadata = [UInt8](repeating: 1, count: metadataLength)[...]
        return .requestJoin(join)
    }

    func inviteJoin(
        _ identity: SigningKey, _ inviteId: String, signedBy key: SigningKey, _ permissions: ACLPermissions = .none,
        metadataLength: Int = 0, readKey: ArraySlice<UInt8>? = [1]
    ) -> ACLContent {
        var join = ACLContent.InviteJoin()
        join.identity = identity.publicKey.marshalled[...]
        join.inviteRecordId = inviteId
        join.inviteIdentitySignature = key.signature(for: identity.publicKey.rawRepresentation)[...]
        join.metadata = [UInt8](repeating: 1, count: metadataLength)[...]
        join.encryptedReadKey = readKey
        join.permissions = permissions
        return .inviteJoin(join)
    }

    func accept(_ identity: SigningKey, _ requestId: String, _ permissions: ACLPermissions) -> ACLContent {
        var accept = ACLContent.RequestAccept()
        accept.identity = identity.publicKey.marshalled[...]
        accept.requestRecordId = requestId
        accept.permissions = permissions
        return .requestAccept(accept)
    }

    func decline(_ id: String) -> ACLContent {
        var decline = ACLContent.RequestDecline()
        decline.requestRecordId = id
        return .requestDecline(decline)
    }

    func cancel(_ id: String) -> ACLContent {
        var cancel = ACLContent.RequestCancel()
        cancel.recordId = id
        return .requestCancel(cancel)
    }

    func add(_ members: (SigningKey, ACLPermissions)...) -> ACLContent {
        var add = ACLContent.AccountsAdd()
        add.additions = members.map { identity, permissions in
            var addition = ACLContent.Addition()
            addition.identity = identity.publicKey.marshalled[...]
            addition.permissions = permissions
            return addition
        }
        return .accountsAdd(add)
    }

    func change(_ identity: SigningKey, _ permissions: ACLPermissions) -> ACLContent.PermissionChange {
        var change = ACLContent.PermissionChange()
        change.identity = identity.publicKey.marshalled[...]
        change.permissions = permissions
        return change
    }

    func changes(_ list: (SigningKey, ACLPermissions)...) -> ACLContent {
        var changes = ACLContent.PermissionChanges()
        changes.changes = list.map { change($0.0, $0.1) }
        return .permissionChanges(changes)
    }

    func ownership(_ identity: SigningKey, _ permissions: ACLPermissions) -> ACLContent {
        var change = ACLContent.OwnershipChange()
        change.newOwnerIdentity = identity.publicKey.marshalled[...]
        change.oldOwnerPermissions = permissions
        return .ownershipChange(change)
    }

    /// A good read key change for the members and open invites of the space, unless told otherwise.
    func keyChange(
        without left: [SigningKey] = [], with more: [SigningKey] = [], inviteKeys: [SigningKey]? = nil,
        _ edit: (inout ACLContent.ReadKeyChange) -> Void = { _ in }
    ) -> ACLContent.ReadKeyChange {
        var change = ACLContent.ReadKeyChange()
        let keys = ACLKeys()
        let members = space.state.members.map(\.identity).filter { member in
            !left.contains { $0.publicKey == member }
        }
        change.accountKeys = (members + more.map(\.publicKey)).map { entry($0, keys) }
        change.inviteKeys = (inviteKeys ?? [openKey]).map { entry($0.publicKey, keys) }
        change.metadataPublicKey = keys.metadataKey.publicKey.marshalled[...]
        change.encryptedMetadataKey = (try? keys.sealedMetadataKey())?[...]
        change.encryptedOldReadKey = [1]
        edit(&change)
        return change
    }

    private func entry(_ identity: PublicKey, _ keys: ACLKeys) -> ACLContent.EncryptedKey {
        var entry = ACLContent.EncryptedKey()
        entry.identity = identity.marshalled[...]
        entry.encryptedReadKey = (try? keys.readKey.encrypted(to: identity))?[...] ?? []
        return entry
    }

    func remove(_ identities: [SigningKey], _ change: ACLContent.ReadKeyChange?) -> ACLContent {
        var remove = ACLContent.AccountRemove()
        remove.identities = identities.map { $0.publicKey.marshalled[...] }
        remove.readKeyChange = change
        return .accountRemove(remove)
    }

    /// A removal with a good key change.
    func remove(_ identities: SigningKey...) -> ACLContent {
        remove(identities, keyChange(without: identities))
    }
}
