import FoundationEssentials
import PushCrypto
import Testing

@Suite struct SpacePushKeysTests {
    let keys: SpacePushKeys

    init() throws {
        keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
    }

    @Test func aRowRoundTripsThroughJSON() throws {
        let json = try JSONEncoder().encode(keys.receiverKeys)
        let row = try JSONDecoder().decode(ReceiverKeys.self, from: json)
        #expect(row == keys.receiverKeys)
        #expect(try SpacePushKeys(row) == keys)
        #expect(row.encKeyId == keys.encryptionKey.keyId)
        #expect(row.encKeyId.allSatisfy { $0.isHexDigit && !$0.isUppercase } && row.encKeyId.count == 64)
    }

    @Test func theSpaceKeyOutlivesTheReadKey() throws {
        let metadata = SigningKey()
        let before = try SpacePushKeys(firstMetadataKey: metadata, readKey: SymmetricKey())
        let after = try SpacePushKeys(firstMetadataKey: metadata, readKey: SymmetricKey())
        #expect(before.spaceKey == after.spaceKey)
        #expect(before.encryptionKeyId != after.encryptionKeyId)
    }

    @Test func eachFieldHasItsError() throws {
        let other = SymmetricKey()
        #expect(throws: SpacePushKeys.RowError.notBase64(field: "spaceKey")) {
            try SpacePushKeys(row(spaceKey: "not base64!"))
        }
        #expect(throws: SpacePushKeys.RowError.notBase64(field: "encKey")) { try SpacePushKeys(row(encKey: "%")) }
        #expect(
            throws: SpacePushKeys.RowError.notAKey(field: "spaceKey", .wrongType(expected: .ed25519Private, found: 0))
        ) {
            try SpacePushKeys(row(spaceKey: ""))
        }
        #expect(
            throws: SpacePushKeys.RowError.notAKey(field: "spaceKey", .wrongType(expected: .ed25519Private, found: 2))
        ) { try SpacePushKeys(row(spaceKey: Data(other.marshalled()).base64EncodedString())) }
        #expect(throws: SpacePushKeys.RowError.notAKey(field: "encKey", .wrongLength(expected: 32, found: 36))) {
            try SpacePushKeys(row(encKey: Data(other.marshalled()).base64EncodedString()))
        }
        #expect(throws: SpacePushKeys.RowError.keyIdMismatch) { try SpacePushKeys(row(encKeyId: other.keyId)) }
        #expect(throws: SpacePushKeys.RowError.keyIdMismatch) {
            try SpacePushKeys(row(encKeyId: keys.encryptionKeyId.uppercased()))
        }
    }

    private func row(spaceKey: String? = nil, encKey: String? = nil, encKeyId: String? = nil) throws -> ReceiverKeys {
        let row = keys.receiverKeys
        let fields = [
            "spaceKey": spaceKey ?? row.spaceKey, "encKey": encKey ?? row.encKey, "encKeyId": encKeyId ?? row.encKeyId,
        ]
        return try JSONDecoder().decode(ReceiverKeys.self, from: JSONEncoder().encode(fields))
    }
}
