import PushCrypto

/// Replays acl.json: whole ACL logs and what each account makes of them, logs that must fail, and the primitives below.
struct AclReplay: VectorFile {
    static let stem = "acl"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        switch try vector.string("kind") {
        case "state": try AclStateReplay(vector).replay()
        case "negative": try AclNegativeReplay(vector).replay()
        case "x25519": try replayEncryption(vector)
        case "sharedKey": try replaySharedKey(vector)
        case "cid": try replayCID(vector)
        case let kind: throw VectorMismatch("unknown kind \(kind)")
        }
    }

    private func replayEncryption(_ vector: JSON) throws {
        let account = try SigningKey(rawRepresentation: vector.hex("signKey"))
        let ciphertext = try vector.hex("ciphertext")
        let plaintext = try vector.hex("plaintext")
        try expect(account.publicKey.rawRepresentation, equals: vector.hex("public"), "public")
        try expect(account.curve25519(), equals: vector.hex("curvePriv"), "curvePriv")
        try expect(account.publicKey.curve25519(), equals: vector.hex("curvePub"), "curvePub")
        let nonce = try vector.hex("nonce")
        try expect(Array(ciphertext.prefix(nonce.count)), equals: nonce, "nonce, the beginning of the ephemeral key")
        try expect(account.decrypt(ciphertext), equals: plaintext, "plaintext")
        let sealed = try account.publicKey.encrypt(plaintext)
        try expect(sealed.count, equals: ciphertext.count, "length of the ciphertext")
        try expect(account.decrypt(sealed), equals: plaintext, "plaintext of our own ciphertext")
    }

    private func replaySharedKey(_ vector: JSON) throws {
        let account = try SigningKey(rawRepresentation: vector.hex("a"))
        let path = try vector.string("path").split(separator: "/", omittingEmptySubsequences: false)
        try expect(path.first == "m", "path begins with m")
        let derive = { (other: PublicKey) throws -> SigningKey in
            try account.sharedKey(with: other, labels: path.dropFirst().map(String.init))
        }
        let other = try PublicKey(rawRepresentation: vector.hex("bPub"))
        guard vector["error"] == nil else { return try expectError("derivation") { try derive(other) } }
        try expect(derive(other).rawBytes(), equals: vector.hex("key"), "key")
    }

    private func replayCID(_ vector: JSON) throws {
        let cid = try CID(of: vector.hex("data"))
        try expect(cid.text, equals: vector.string("cid"), "cid")
        try expect(cid.matches(vector.string("cid")), "the cid matches its text")
    }
}

extension JSON {
    /// The records of a log.
    func aclRecords() throws -> [RawRecordWithId] {
        try array("records").map { record in
            let read = try RawRecordWithId(payload: record.hex("payload"), id: record.string("id"))
            if record["rawRecordWithId"] != nil {
                let marshalled = try record.hex("rawRecordWithId")
                try expect(RawRecordWithId(marshalled: marshalled), equals: read, "rawRecordWithId, decoded")
                try expect(read.marshalled(), equals: marshalled, "rawRecordWithId")
            }
            return read
        }
    }
}
