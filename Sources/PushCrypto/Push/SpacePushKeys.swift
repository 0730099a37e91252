/// The two keys of a space's notifications (protocol.md §1, "Space push key" and "Payload encryption key").
public struct SpacePushKeys: Sendable, Equatable {
    // protocol.md §1.
    private static let spaceKeyPath: [UInt32] = [99999, 1]
    private static let encryptionKeyLabels = ["SLIP-0021", "anytype", "space", "key"]

    /// Signs topics. The same for every member, for as long as the space lives.
    public let spaceKey: SigningKey
    /// Seals payloads. Changes with the space's read key.
    public let encryptionKey: SymmetricKey

    /// The id under which receivers file ``encryptionKey``: 64 lower-case hex digits.
    public let encryptionKeyId: String

    /// Derives both keys.
    ///
    /// - Parameters:
    ///   - firstMetadataKey: the metadata key of the ACL's first record.
    ///   - readKey: the ACL's current read key.
    /// - Throws: ``DerivationError``, which good constants never cause.
    public init(firstMetadataKey: SigningKey, readKey: SymmetricKey) throws(DerivationError) {
        self.init(
            spaceKey: try Self.spaceKey(firstMetadataKey: firstMetadataKey),
            encryptionKey: Self.encryptionKey(readKey: readKey)
        )
    }

    /// Puts together keys that were derived before.
    public init(spaceKey: SigningKey, encryptionKey: SymmetricKey) {
        self.spaceKey = spaceKey
        self.encryptionKey = encryptionKey
        encryptionKeyId = encryptionKey.keyId
    }

    /// The key that signs a space's topics. Its seed is the 64-byte raw form of the metadata key: 32 bytes would give a
    /// valid but wrong key.
    public static func spaceKey(firstMetadataKey: SigningKey) throws(DerivationError) -> SigningKey {
        var node = firstMetadataKey.withRawBytes { SLIP10Node(seed: $0) }
        for index in spaceKeyPath {
            node = try node.child(index)
        }
        return node.signingKey
    }

    /// The key that seals payloads under one generation of the read key.
    public static func encryptionKey(readKey: SymmetricKey) -> SymmetricKey {
        encryptionKeyLabels.reduce(readKey.withRawBytes { SLIP21Node(seed: $0) }) { $0.child($1) }.symmetricKey
    }
}
