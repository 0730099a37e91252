import ProtoWire

// The first records of logs (protocol.md §2, "Writing").
extension RawRecordWithId {
    /// The root of a new space.
    ///
    /// - Parameters:
    ///   - spaceId: the space, as ``SpaceHeader/signed(by:)`` names it.
    ///   - account: the owner's account key, which signs the root.
    ///   - masterKey: the owner's master key, which vouches for the account key.
    ///   - metadata: what the owner says about itself, for members.
    ///   - keys: the first keys of the space.
    ///   - timestamp: when the space is made, in seconds since 1970.
    /// - Throws: ``ACLWriteError``.
    public static func root(
        spaceId: String, account: SigningKey, masterKey: SigningKey, metadata: [UInt8], keys: ACLKeys = ACLKeys(),
        timestamp: Int64
    ) throws(ACLWriteError) -> RawRecordWithId {
        var root = ACLRoot(identity: account.publicKey, masterKey: masterKey, spaceId: spaceId)
        root.encryptedReadKey = try keys.readKey.encrypted(to: account.publicKey)[...]
        root.timestamp = timestamp
        root.metadataPublicKey = keys.metadataKey.publicKey.marshalled[...]
        root.encryptedMetadataKey = try keys.sealedMetadataKey()[...]
        root.encryptedOwnerMetadata = try keys.metadataKey.publicKey.encrypted(metadata)[...]
        return RawRecordWithId(RawRecord(signing: root.marshalled(), with: account))
    }

    /// The root of a space of two, which is its whole log. Both write the same bytes.
    ///
    /// - Parameters:
    ///   - spaceId: the space; the reference leaves it out.
    ///   - account: the account key of one of the two.
    ///   - other: the other one.
    /// - Throws: ``ACLWriteError/noSharedKeys(_:)``.
    public static func oneToOneRoot(
        spaceId: String = "", account: SigningKey, other: PublicKey
    ) throws(ACLWriteError) -> RawRecordWithId {
        let keys: OneToOneKeys
        do throws(KeyError) {
            keys = try OneToOneKeys(account: account, other: other)
        } catch {
            throw .noSharedKeys(error)
        }
        var info = ACLRoot.OneToOneInfo()
        info.owner = keys.owner.publicKey.marshalled[...]
        info.writers = [account.publicKey.marshalled[...], other.marshalled[...]]
            .sorted { $0.lexicographicallyPrecedes($1) }
        var root = ACLRoot(identity: keys.owner.publicKey, masterKey: keys.owner, spaceId: spaceId)
        root.oneToOneInfo = info
        return RawRecordWithId(RawRecord(signing: root.marshalled(), with: keys.owner))
    }
}

extension ACLRoot {
    init(identity: PublicKey, masterKey: SigningKey, spaceId: String) {
        self.init()
        self.identity = identity.marshalled[...]
        self.masterKey = masterKey.publicKey.marshalled[...]
        self.spaceId = WireString(spaceId)
        identitySignature = masterKey.signature(for: identity.rawRepresentation)[...]
    }
}
