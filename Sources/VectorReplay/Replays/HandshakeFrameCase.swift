import AnySyncWire
import ProtoWire
import PushCrypto

/// One frame of handshake.json: its fields decoded, and encoded again.
struct HandshakeFrameCase {
    private let vector: JSON
    private let fields: JSON
    private let bytes: [UInt8]

    init(_ vector: JSON) throws {
        self.vector = vector
        guard let fields = vector["fields"] else { throw VectorMismatch("the case has no field fields") }
        self.fields = fields
        bytes = try vector.hex("bytes")
    }

    func replay() throws {
        var input = bytes[...]
        var reader = HandshakeFrameReader()
        guard let frame = try reader.next(&input, accepting: [.credentials, .ack, .proto]) else {
            throw VectorMismatch("the frame is cut short")
        }
        try expect(Array(input), equals: [], "bytes after the frame")
        try expect(Int(frame.kind.rawValue), equals: vector.int("type"), "type")
        switch frame.kind {
        case .credentials: try replayCredentials(Credentials(decoding: frame.body))
        case .ack: try replayAck(HandshakeAck(decoding: frame.body))
        case .proto: try replayOffer(ProtoOffer(decoding: frame.body))
        }
    }

    private func replayCredentials(_ credentials: Credentials) throws {
        try expect(Int(credentials.kind.rawValue), equals: fields.int("type"), "type of the credentials")
        try expect(Int(credentials.version), equals: fields.int("version"), "version")
        try expect(credentials.clientVersion.string, equals: fields.string("clientVersion"), "clientVersion")
        try expect(HandshakeFrame.encode(.credentials, credentials.encoded), equals: bytes, "frame, encoded")
        if fields["payload"] != nil {
            try expect(credentials.payload, equals: fields.hex("payload"), "payload")
        }
        var account: SigningKey?
        var (local, remote) = (PeerId(publicKey: SigningKey().publicKey), PeerId(publicKey: SigningKey().publicKey))
        if credentials.kind == .signedPeerIds {
            let key = try SigningKey(rawRepresentation: fields.hex("signKey"))
            local = try PeerId(fields.string("localPeerId"))
            remote = try PeerId(fields.string("remotePeerId"))
            let message = try fields.string("signedMessage")
            try expect(local.text + remote.text, equals: message, "signedMessage")
            let proof = try SignedPeerIds(decoding: credentials.payload)
            try expect(proof.identity, equals: key.publicKey.marshalled, "identity")
            try expect(
                key.publicKey.isValidSignature(proof.signature, for: Array(message.utf8)), "the signature is valid")
            account = key
        }
        // We never send an empty client version.
        guard !credentials.clientVersion.isEmpty else { return }
        let credentialsOfOurs = LocalCredentials(
            account: account, peer: local, version: credentials.version,
            clientVersion: credentials.clientVersion.string)
        try expect(
            CredentialDialer(to: remote, as: credentialsOfOurs).start(), equals: bytes, "what our dialer sends")
    }

    private func replayAck(_ ack: HandshakeAck) throws {
        try expect(Int(ack.code.rawValue), equals: fields.int("error"), "error")
        try expect(ack.frame, equals: bytes, "frame, encoded")
        let names: [HandshakeAck.Code: String] = [
            .null: "Null", .unexpected: "Unexpected", .invalidCredentials: "InvalidCredentials",
            .unexpectedPayload: "UnexpectedPayload", .skipVerifyNotAllowed: "SkipVerifyNotAllowed",
            .deadlineExceeded: "DeadlineExceeded", .incompatibleVersion: "IncompatibleVersion",
            .incompatibleProto: "IncompatibleProto",
        ]
        try expect(names[ack.code] ?? "\(ack.code.rawValue)", equals: fields.string("errorName"), "errorName")
    }

    private func replayOffer(_ offer: ProtoOffer) throws {
        try expect(Int(offer.proto), equals: fields.int("proto"), "proto")
        let encodings = try fields.array("encodings").compactMap(\.intValue)
        try expect(offer.encodings.map(Int.init), equals: encodings, "encodings")
        try expect(offer.frame, equals: bytes, "frame, encoded")
    }
}
