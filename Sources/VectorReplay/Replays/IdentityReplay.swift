import PushCrypto

/// Replays identity.json: the text and binary forms of keys.
struct IdentityReplay: VectorFile {
    static let stem = "identity"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        switch try vector.string("kind") {
        case "key": try replayKey(vector)
        case "decodeAccount":
            try replayDecoding(vector, "account") { try PublicKey(accountAddress: $0.string("account")) }
        case "decodeNetwork":
            try replayDecoding(vector, "network") { try PublicKey(networkId: $0.string("network")) }
        case "decodePeerId":
            try replayDecoding(vector, "peerId") { try PeerId($0.string("peerId")).publicKey }
        case "decodePublicProto":
            try replayDecoding(vector, "proto") { try PublicKey(marshalled: $0.hex("proto")) }
        case "crc16":
            let checksum = try CRC16.checksum(vector.string("input").utf8)
            let littleEndian = [UInt8(checksum & 0xff), UInt8(checksum >> 8)]
            try expect(littleEndian, equals: vector.hex("checksumLE"), "checksumLE")
        case let kind: throw VectorMismatch("unknown kind \(kind)")
        }
    }

    private func replayKey(_ vector: JSON) throws {
        let key = try SigningKey(seed: vector.hex("seed"))
        try expect(key.rawBytes(), equals: vector.hex("private64"), "private64")
        try expect(key.marshalled(), equals: vector.hex("privateProto"), "privateProto")
        try expect(SigningKey(marshalled: vector.hex("privateProto")) == key, "privateProto decodes to the key")
        let publicKey = key.publicKey
        try expect(publicKey.rawRepresentation, equals: vector.hex("public"), "public")
        try expect(publicKey.marshalled, equals: vector.hex("publicProto"), "publicProto")
        try expect(publicKey.accountAddress, equals: vector.string("account"), "account")
        try expect(publicKey.networkId, equals: vector.string("network"), "network")
        try expect(PeerId(publicKey: publicKey).text, equals: vector.string("peerId"), "peerId")
        try expect(PublicKey(accountAddress: vector.string("account")), equals: publicKey, "account, decoded")
        try expect(PublicKey(networkId: vector.string("network")), equals: publicKey, "network, decoded")
        try expect(PeerId(vector.string("peerId")).publicKey, equals: publicKey, "peerId, decoded")
        try expect(PublicKey(marshalled: vector.hex("publicProto")), equals: publicKey, "publicProto, decoded")
    }

    private func replayDecoding(_ vector: JSON, _ what: String, _ decode: (JSON) throws -> PublicKey) throws {
        // An input field that the case leaves out would look like the error that the case expects.
        guard vector.has(what) else { throw VectorMismatch("the case has no field \(what)") }
        guard try vector.bool("valid") else {
            return try expectError(what) { try decode(vector) }
        }
        try expect(decode(vector).rawRepresentation, equals: vector.hex("public"), "public")
    }
}
