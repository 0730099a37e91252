import PushCrypto

/// Replays push_keys.json: a space's two keys, and their forms on a space row.
struct PushKeysReplay: VectorFile {
    static let stem = "push_keys"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let keys = try SpacePushKeys(
            firstMetadataKey: SigningKey(rawRepresentation: vector.hex("firstMetadataKey")),
            readKey: SymmetricKey(rawRepresentation: vector.hex("readKey"))
        )
        let spaceKey = keys.spaceKey
        try expect(spaceKey.rawBytes(), equals: vector.hex("spaceKeyPriv"), "spaceKeyPriv")
        try expect(spaceKey.publicKey.rawRepresentation, equals: vector.hex("spaceKeyPub"), "spaceKeyPub")
        try expect(spaceKey.marshalled(), equals: vector.hex("spaceKeyProto"), "spaceKeyProto")
        let base58 = Base58.encode(spaceKey.publicKey.rawRepresentation)
        try expect(base58, equals: vector.string("spaceKeyPubBase58"), "spaceKeyPubBase58")
        try expect(Base58.decode(base58), equals: vector.hex("spaceKeyPub"), "spaceKeyPubBase58, decoded")
        try expect(keys.encryptionKey.rawBytes(), equals: vector.hex("encKeyRaw"), "encKeyRaw")
        let row = keys.receiverKeys
        try expect(row.spaceKey, equals: vector.string("spaceKey"), "spaceKey")
        try expect(row.encKey, equals: vector.string("encKey"), "encKey")
        try expect(row.encKeyId, equals: vector.string("encKeyId"), "encKeyId")
        try expect(SpacePushKeys(row) == keys, "the row's keys decode to the keys they were made from")
    }
}
