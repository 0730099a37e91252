import PushCrypto

/// Replays slip21.json: SLIP-0021 nodes by seed and path.
struct Slip21Replay: VectorFile {
    static let stem = "slip21"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let seed = try vector.hex("seed")
        let path = try vector.string("path")
        guard vector["error"] == nil else {
            return try expectError("derivation") { try SLIP21Node(seed: seed, path: path).chainCode() }
        }
        let node = try SLIP21Node(seed: seed, path: path)
        try expect(node.chainCode(), equals: vector.hex("chainCode"), "chainCode")
        try expect(node.symmetricKey.rawBytes(), equals: vector.hex("key"), "key")
    }
}
