import AnySyncWire
import PushCrypto

/// One side of a recorded handshake and its keys.
struct HandshakeParty {
    let account: SigningKey
    let peer: PeerId

    /// Reads a party and checks that its fields belong to its keys.
    init(_ json: JSON) throws {
        account = try SigningKey(rawRepresentation: json.hex("signKey"))
        peer = try PeerId(publicKey: SigningKey(rawRepresentation: json.hex("peerKey")).publicKey)
        try expect(account.publicKey.accountAddress, equals: json.string("account"), "account")
        try expect(account.publicKey.marshalled, equals: json.hex("identityProto"), "identityProto")
        try expect(peer.text, equals: json.string("peerId"), "peerId")
    }
}

/// What both sides of a recorded handshake wrote, in order.
struct HandshakeScript {
    struct Write {
        let isClient: Bool
        let bytes: [UInt8]
    }

    let writes: [Write]

    init(_ vector: JSON) throws {
        writes = try vector.array("writes").map { write in
            let from = try write.string("from")
            try expect(["client", "server"].contains(from), "a write is from client or server, not \(from)")
            return Write(isClient: from == "client", bytes: try write.hex("bytes"))
        }
    }

    /// The first credentials that a side sent, if any.
    func credentials(ofClient isClient: Bool) -> Credentials? {
        var bytes = writes.filter { $0.isClient == isClient }.flatMap(\.bytes)[...]
        var reader = HandshakeFrameReader()
        guard let frame = try? reader.next(&bytes, accepting: [.credentials]) else { return nil }
        return try? Credentials(decoding: frame.body)
    }

    /// Plays one side: hands over what the other side wrote, and checks that what ours writes is what the recorded side
    /// wrote.
    ///
    /// - Parameters:
    ///   - isClient: which side is ours.
    ///   - opening: what our side writes first.
    ///   - expected: makes of a recorded write what ours is to be.
    ///   - receive: our side; returns what it writes.
    func play(
        asClient isClient: Bool, opening: [UInt8] = [], expecting expected: ([UInt8]) throws -> [UInt8] = { $0 },
        _ receive: (inout ArraySlice<UInt8>) throws -> [UInt8]
    ) throws {
        var written = opening[...]
        for write in writes {
            guard write.isClient == isClient else {
                var bytes = write.bytes[...]
                written += try receive(&bytes)
                continue
            }
            let wanted = try expected(write.bytes)
            try expect(Array(written.prefix(wanted.count)), equals: wanted, "bytes written")
            written = written.dropFirst(wanted.count)
        }
        try expect(Array(written), equals: [], "written beyond what was recorded")
    }
}
