// What contents do to the keys of a space, and to those of them that the account whose view it is can open.
extension ACLJournal {
    mutating func apply(_ remove: ACLContent.AccountRemove, _ origin: ACLOrigin) throws(ACLError.Reason) {
        let author = origin.isChecked ? try state.requireManager(origin.author) : .none
        guard let change = remove.readKeyChange else { throw .missing(.readKeyChange) }
        let mark = newMark()
        for marshalled in remove.identities {
            let position = try state.position(of: marshalled)
            let identity = state.accounts[position].identity
            if origin.isChecked {
                guard self.mark(position, mark) != mark else { throw .duplicateAccount(identity) }
                try state.checkRemoval(of: identity, by: origin.author, author)
            }
            settleRequest(of: position)
            update(position) { account in
                account.status = .removed
                account.permissions = .none
            }
        }
        // The removed are no members any more, so the change must leave them out.
        try apply(change, origin)
    }

    mutating func apply(_ change: ACLContent.ReadKeyChange, _ origin: ACLOrigin) throws(ACLError.Reason) {
        if origin.isChecked { try checkRecipients(of: change) }
        var generation = ACLKeyGeneration(recordId: origin.recordId)
        generation.metadataPublicKey = try state.publicKey(change.metadataPublicKey, .metadataPublicKey)
        generation.sealedMetadataKey = Array(change.encryptedMetadataKey ?? [])
        generation.sealedOldReadKey = change.encryptedOldReadKey.map { Array($0) }
        try unlessChecked(origin.isChecked) { () throws(ACLError.Reason) in
            guard let account = state.accountKey, let readKey = try Self.ownReadKey(in: change, for: account)
            else { return }
            // A key that does not open what belongs to it is not the one that others were given.
            generation.openedMetadataKey = try ACLSecrets.metadataKey(generation.sealedMetadataKey, with: readKey)
            generation.readKey = readKey
        }
        try replaceInviteKeys(with: change.inviteKeys)
        append(generation)
    }

    // A key that nobody can read names nobody: only checked contents are refused for it.
    private static func ownReadKey(
        in change: ACLContent.ReadKeyChange, for account: SigningKey
    ) throws(ACLError.Reason) -> SymmetricKey? {
        var readKey: SymmetricKey?
        for entry in change.accountKeys where (try? ACLIdentity.unchecked(entry.identity)) == account.publicKey {
            readKey = try ACLSecrets.readKey(entry.encryptedReadKey, for: account)
        }
        return readKey
    }

    private mutating func replaceInviteKeys(with entries: [ACLContent.EncryptedKey]) throws(ACLError.Reason) {
        var keys: [PublicKey: ArraySlice<UInt8>] = [:]
        for entry in entries {
            keys[try invitePublicKey(entry.identity)] = entry.encryptedReadKey
        }
        for (key, encrypted) in keys {
            for id in state.inviteIds[key] ?? [] {
                guard var invite = state.inviteTable[id] else { continue }
                invite.encryptedReadKey = Array(encrypted)
                setInvite(id, invite)
            }
        }
    }

    // The key of a live invite was checked when the invite was made.
    private func invitePublicKey(_ marshalled: ArraySlice<UInt8>) throws(ACLError.Reason) -> PublicKey {
        if let key = try? ACLIdentity.unchecked(marshalled), state.inviteIds[key] != nil { return key }
        return try state.publicKey(marshalled, .inviteKey)
    }

    /// A checked change is for exactly the members and exactly the invites that need no approval.
    private mutating func checkRecipients(of change: ACLContent.ReadKeyChange) throws(ACLError.Reason) {
        guard change.encryptedMetadataKey != nil else { throw .missing(.metadataKey) }
        guard change.encryptedOldReadKey != nil else { throw .missing(.oldReadKey) }
        guard change.accountKeys.count == state.totals.members else {
            throw .wrongAccountKeys(expected: state.totals.members, found: change.accountKeys.count)
        }
        let mark = newMark()
        for entry in change.accountKeys {
            let position = try state.position(of: entry.identity)
            let identity = state.accounts[position].identity
            guard state.accounts[position].isMember else { throw .noSuchAccount(identity) }
            guard self.mark(position, mark) != mark else { throw .duplicateAccount(identity) }
        }
        guard change.inviteKeys.count == state.totals.openInvites else {
            throw .wrongInviteKeys(expected: state.totals.openInvites, found: change.inviteKeys.count)
        }
        var counts: [PublicKey: Int] = [:]
        for entry in change.inviteKeys {
            counts[try invitePublicKey(entry.identity), default: 0] += 1
        }
        for (key, count) in counts {
            let open = state.inviteIds[key]?.count { state.inviteTable[$0]?.type == .anyoneCanJoin } ?? 0
            guard open == count else { throw .wrongInviteKeys(expected: open, found: count) }
        }
    }

    /// Opens what a record gives to the account. Who else reads the record can not tell whether that opens, so when
    /// contents are checked, it decides nothing but which keys the account has.
    private func unlessChecked(
        _ isChecked: Bool, _ open: () throws(ACLError.Reason) -> Void
    ) throws(ACLError.Reason) {
        do throws(ACLError.Reason) { try open() } catch { guard isChecked else { throw error } }
    }

    /// Opens every generation, from the current one down, for an account that has just come in.
    ///
    /// - Parameters:
    ///   - encryptedReadKey: the current read key, encrypted to the account.
    ///   - isChecked: whether contents are checked, so that what does not open is left closed.
    mutating func unlock(with encryptedReadKey: ArraySlice<UInt8>, isChecked: Bool) throws(ACLError.Reason) {
        do throws(ACLError.Reason) {
            try walk(from: encryptedReadKey, mayPass: isChecked)
        } catch {
            guard isChecked else { throw error }
        }
    }

    /// - Parameter mayPass: whether the key that a generation leads down to may be that of a generation further below:
    ///   who made it was not given the ones between.
    private mutating func walk(
        from encryptedReadKey: ArraySlice<UInt8>, mayPass: Bool
    ) throws(ACLError.Reason) {
        guard let account = state.accountKey else { return }
        var readKey = try ACLSecrets.readKey(encryptedReadKey, for: account)
        for position in state.generations.indices.reversed() {
            let generation = state.generations[position]
            // Whoever was here before has opened what lies below.
            if generation.isWalked, generation.readKey == readKey { return }
            let metadataKey: SecretBytes
            do throws(ACLError.Reason) {
                metadataKey = try ACLSecrets.metadataKey(generation.sealedMetadataKey, with: readKey)
            } catch {
                guard mayPass, position < state.generations.count - 1, takePass() else { throw error }
                continue
            }
            updateGeneration(position) { generation in
                generation.readKey = readKey
                generation.openedMetadataKey = metadataKey
                generation.isWalked = true
            }
            guard position > 0 else { return }
            guard let sealed = generation.sealedOldReadKey else { throw .missing(.oldReadKey) }
            readKey = try ACLSecrets.oldReadKey(sealed, with: readKey)
        }
    }
}
