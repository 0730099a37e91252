import PushCrypto

/// Replays slip10.json: SLIP-0010 nodes by seed and path.
struct Slip10Replay: VectorFile {
    static let stem = "slip10"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let seed = try vector.hex("seed")
        let path = try vector.string("path")
        guard vector["error"] == nil else {
            return try expectError("derivation") { try SLIP10Node(seed: seed, path: path).rawKey() }
        }
        let node = try SLIP10Node(seed: seed, path: path)
        try expect(node.rawKey(), equals: vector.hex("privateSeed"), "privateSeed")
        try expect(node.chainCode(), equals: vector.hex("chainCode"), "chainCode")
        try expect(node.signingKey.rawBytes(), equals: vector.hex("private64"), "private64")
        try expect(node.signingKey.publicKey.rawRepresentation, equals: vector.hex("publicKey"), "publicKey")
    }
}
