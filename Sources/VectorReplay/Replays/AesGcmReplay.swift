import PushCrypto

/// Replays aesgcm.json: sealing under a given nonce, and what must not open.
struct AesGcmReplay: VectorFile {
    static let stem = "aesgcm"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        if vector["keyLength"] != nil {
            let key = [UInt8](repeating: 1, count: try vector.int("keyLength"))
            return try expectError("key") { try SymmetricKey(rawRepresentation: key) }
        }
        let key = try SymmetricKey(rawRepresentation: vector.hex("key"))
        let ciphertext = try vector.hex("ciphertext")
        guard try vector.bool("valid") else {
            return try expectError("opening") { try key.open(ciphertext) }
        }
        let plaintext = try vector.hex("plaintext")
        try expect(key.seal(plaintext, nonce: vector.hex("nonce")), equals: ciphertext, "ciphertext")
        try expect(key.open(ciphertext), equals: plaintext, "plaintext")
        try expect(key.open(key.seal(plaintext)), equals: plaintext, "plaintext under a fresh nonce")
    }
}
