import PushCrypto

/// Replays mnemonic.json: phrases, their seeds and account keys. `ethereumPrivate` is not ours to derive.
struct MnemonicReplay: VectorFile {
    static let stem = "mnemonic"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let phrase = try vector.string("mnemonic")
        let index = try vector.int("index")
        guard vector["valid"]?.boolValue ?? true else {
            return try expectError("phrase") { try Mnemonic(phrase).seed() }
        }
        guard let index = UInt32(exactly: index) else { throw VectorMismatch("index \(index) is no 32-bit number") }
        let mnemonic = try Mnemonic(phrase)
        try expect(mnemonic.seed(), equals: vector.hex("bip39Seed"), "bip39Seed")
        let identity = try mnemonic.accountKey(index: index)
        try expect(identity.publicKey.accountAddress, equals: vector.string("identityAccount"), "identityAccount")
        guard vector["identityKey"] != nil else { return }
        try expect(identity.rawBytes(), equals: vector.hex("identityKey"), "identityKey")
        try expect(identity.publicKey.rawRepresentation, equals: vector.hex("identityPublic"), "identityPublic")
        let master = try mnemonic.masterNode(index: index)
        try expect(master.rawKey(), equals: vector.hex("masterNodeSeed"), "masterNodeSeed")
        try expect(master.signingKey.rawBytes(), equals: vector.hex("masterKey"), "masterKey")
        try expect(master.signingKey.publicKey.rawRepresentation, equals: vector.hex("masterPublic"), "masterPublic")
        try expect(master.signingKey.publicKey.accountAddress, equals: vector.string("masterAccount"), "masterAccount")
        for (path, key) in [("masterPath", "masterKey"), ("identityPath", "identityKey")] {
            let node = try SLIP10Node(seed: mnemonic.seed(), path: vector.string(path))
            try expect(node.signingKey.rawBytes(), equals: vector.hex(key), "\(key) by \(path)")
        }
    }
}
