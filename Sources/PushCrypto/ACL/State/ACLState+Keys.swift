extension ACLState {
    /// The current read key.
    ///
    /// - Throws: ``ACLKeyUnavailable`` unless the account is a member now and has the key.
    public func currentReadKey() throws(ACLKeyUnavailable) -> SymmetricKey {
        guard permissions.isMember else { throw reasonForNoKey }
        guard let key = currentGeneration.readKey else { throw .leftOut(recordId: currentReadKeyId) }
        return key
    }

    /// The first metadata key, from which the space push key follows.
    ///
    /// A removed member still has it: who sends must ask ``pushKeys()``, or check that the account is a member now.
    ///
    /// - Throws: ``ACLKeyUnavailable``.
    public func firstMetadataKey() throws(ACLKeyUnavailable) -> SigningKey {
        let first = generations[0]
        guard first.openedMetadataKey != nil else {
            if permissions.isMember, first.metadataPublicKey == nil { throw .noMetadataKey }
            guard permissions.isMember else { throw reasonForNoKey }
            throw currentGeneration.readKey == nil ? .leftOut(recordId: currentReadKeyId) : .firstKeyOutOfReach
        }
        guard let key = first.metadataKey() else { throw .metadataKeyUnusable }
        return key
    }

    /// The keys of the space's notifications, for an account that is a member now.
    ///
    /// - Throws: ``ACLKeyUnavailable``.
    public func pushKeys() throws(ACLKeyUnavailable) -> SpacePushKeys {
        let readKey = try currentReadKey()
        let metadataKey = try firstMetadataKey()
        do throws(DerivationError) {
            return try SpacePushKeys(firstMetadataKey: metadataKey, readKey: readKey)
        } catch {
            throw .metadataKeyUnusable
        }
    }

    /// What an account says about itself, decrypted.
    ///
    /// - Throws: ``KeyError/cannotDecrypt`` when the log does not name the account or this view has not the metadata key of
    ///   its generation, or the ``KeyError`` of the decryption. Accounts of a one-to-one space have no metadata.
    public func metadata(of identity: PublicKey) throws(KeyError) -> [UInt8] {
        guard
            let account = account(identity), let generation = account.generation,
            let key = generations[generation].metadataKey()
        else { throw .cannotDecrypt }
        return try key.decrypt(account.encryptedMetadata)
    }

    /// The read key that a live invite without approval carries.
    ///
    /// - Parameter inviteKey: the private half of the invite's key.
    /// - Returns: the current read key, or `nil` when no live invite with this key carries one that opens.
    public func readKey(openedBy inviteKey: SigningKey) -> SymmetricKey? {
        for id in inviteIds[inviteKey.publicKey] ?? [] {
            guard let sealed = inviteTable[id]?.encryptedReadKey else { continue }
            if let key = try? ACLSecrets.readKey(sealed, for: inviteKey) { return key }
        }
        return nil
    }

    // Why an account that is no member has no key.
    private var reasonForNoKey: ACLKeyUnavailable {
        guard accountKey != nil else { return .noAccount }
        return switch status {
        case .none: ownAccount == nil ? .neverMember : .noPermissions
        case .joining: .pending
        case .declined: .declined
        case .canceled: .canceled
        case .removed: .removed
        case .active, .removing: .noPermissions
        }
    }
}

extension ACLState: CustomStringConvertible {
    /// The log, its length and whose view it is; never a key.
    public var description: String {
        "ACLState(\(id), \(recordCount) records, view of \(identity?.accountAddress ?? "nobody"))"
    }
}
