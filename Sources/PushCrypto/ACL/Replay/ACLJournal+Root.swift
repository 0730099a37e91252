import ProtoWire

// The first record of a log (protocol.md §2).
extension ACLJournal {
    /// The state after a root.
    ///
    /// - Parameters:
    ///   - record: the first record. It has no acceptor.
    ///   - account: the key of the account whose view is wanted.
    ///   - isChecked: whether the root is judged beyond its id and signature.
    init(root record: RawRecordWithId, account: SigningKey?, isChecked: Bool) throws(ACLError.Reason) {
        let raw = try RawRecord(decoding: record.payload[...], as: .rawRecord)
        let root = try ACLRoot(decoding: raw.payload, as: .root)
        try record.checkId()
        let author = try raw.author(root.identity)
        if isChecked { try Self.checkMasterKey(root, author) }
        self.init(
            ACLState(
                id: record.id, spaceId: root.spaceId.string, isOneToOne: root.oneToOneInfo != nil, accountKey: account
            )
        )
        if let info = root.oneToOneInfo {
            try openOneToOne(info, author: isChecked ? author : nil)
        } else {
            try open(root, author, isChecked: isChecked)
        }
        commit(recordId: record.id)
    }

    private static func checkMasterKey(_ root: ACLRoot, _ identity: PublicKey) throws(ACLError.Reason) {
        let masterKey: PublicKey
        do throws(KeyError) {
            masterKey = try ACLIdentity.unchecked(root.masterKey)
        } catch {
            throw .keyUnreadable(.masterKey, error)
        }
        guard masterKey.isValidSignature(root.identitySignature, for: identity.rawRepresentation) else {
            throw .signatureInvalid(.identitySignature)
        }
    }

    // MARK: A space of many

    private mutating func open(
        _ root: ACLRoot, _ owner: PublicKey, isChecked: Bool
    ) throws(ACLError.Reason) {
        let account = state.accountKey.flatMap { $0.publicKey == owner ? $0 : nil }
        if let encryptedReadKey = root.encryptedReadKey {
            let metadataPublicKey = try state.publicKey(root.metadataPublicKey, .metadataPublicKey)
            updateGeneration(0) { generation in
                generation.metadataPublicKey = metadataPublicKey
                generation.sealedMetadataKey = Array(root.encryptedMetadataKey)
            }
            if account != nil { try unlock(with: encryptedReadKey, isChecked: isChecked) }
        } else if let account {
            let readKey = DerivedSpaceKeys.readKey(of: account)
            updateGeneration(0) { $0.readKey = readKey }
        }
        add(owner, .owner, metadata: Array(root.encryptedOwnerMetadata))
    }

    // MARK: A space of two

    private mutating func openOneToOne(_ info: ACLRoot.OneToOneInfo, author: PublicKey?) throws(ACLError.Reason) {
        let writerCount = ACLRoot.OneToOneInfo.writerCount
        guard info.writers.count == writerCount else {
            throw .wrongNumberOfWriters(expected: writerCount, found: info.writers.count)
        }
        guard let owner = info.owner else { throw .ownerMissing }
        let ownerKey = try state.publicKey(owner, .owner)
        let first = try state.publicKey(info.writers[0], .writer)
        let second = try state.publicKey(info.writers[1], .writer)
        if let author, author != ownerKey { throw .ownerNotAuthor(expected: ownerKey, found: author) }
        if let account = state.accountKey, account.publicKey == first || account.publicKey == second {
            try deriveOneToOneKeys(account, other: account.publicKey == first ? second : first, owner: ownerKey)
        }
        add(ownerKey, .owner, metadata: [])
        add(first, .writer, metadata: [])
        add(second, .writer, metadata: [])
    }

    private mutating func deriveOneToOneKeys(
        _ account: SigningKey, other: PublicKey, owner: PublicKey
    ) throws(ACLError.Reason) {
        let keys: OneToOneKeys
        do throws(KeyError) {
            keys = try OneToOneKeys(account: account, other: other)
        } catch {
            throw .keyUnreadable(.writer, error)
        }
        guard keys.owner.publicKey == owner else {
            throw .ownerNotShared(expected: keys.owner.publicKey, found: owner)
        }
        updateGeneration(0) { generation in
            generation.readKey = keys.readKey
            generation.metadataPublicKey = keys.metadataKey.publicKey
            generation.openedMetadataKey = keys.metadataKey.withRawBytes { SecretBytes($0) }
        }
    }

    private mutating func add(_ identity: PublicKey, _ permissions: ACLPermissions, metadata: [UInt8]) {
        update(position(of: identity)) { account in
            account.permissions = permissions
            account.status = .active
            account.encryptedMetadata = metadata
            account.generation = 0
        }
    }
}
