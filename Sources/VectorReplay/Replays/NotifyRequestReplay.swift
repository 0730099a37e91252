import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// Replays notify_request.json: every message of the push API, encoded and decoded, and malformed protobuf.
struct NotifyRequestReplay: VectorFile {
    static let stem = "notify_request"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let message = try vector.string("message")
        switch message {
        case "NotifyRequest": try replay(vector, as: NotifyRequest.self) { try Self.notifyRequest($0) }
        case "Message": try replay(vector, as: NotifyRequest.Message.self) { try Self.message($0) }
        case "SetTokenRequest": try replay(vector, as: SetTokenRequest.self) { try Self.setToken($0) }
        case "CreateSpaceRequest", "RemoveSpaceRequest":
            try replay(vector, as: SpaceRequest.self) { try Self.space($0) }
        case "SubscribeRequest", "UnsubscribeRequest", "SubscribeAllRequest", "SubscriptionsResponse":
            try replay(vector, as: TopicsMessage.self) { TopicsMessage(topics: try Self.topics($0)) }
        case "SubscriptionsRequest", "Ok": try replay(vector, as: Ok.self) { _ in Ok() }
        default: throw VectorMismatch("unknown message \(message)")
        }
    }

    private func replay<M: PushMessage>(_ vector: JSON, as type: M.Type, _ build: (JSON) throws -> M) throws {
        let bytes = try vector.hex("bytes")
        let decodeOnly = vector["decodeOnly"]?.boolValue ?? false
        if decodeOnly, try !vector.bool("valid") {
            return try expectError("decoding") { try M(bytes: bytes) }
        }
        guard let fields = vector["fields"] else { throw VectorMismatch("the case has no field fields") }
        let expected = try build(fields)
        let decoded = try M(bytes: bytes)
        if decodeOnly {
            // The vector shows strings that are not UTF-8 with replacement characters; bytes on the wire are compared there.
            try expect(Self.display(decoded), equals: Self.display(expected), "fields")
        } else {
            try expect(decoded, equals: expected, "fields")
            try expect(expected.encoded(), equals: bytes, "bytes")
            try replaySigning(fields)
        }
        try expect(M(bytes: decoded.encoded()), equals: decoded, "decoded again after encoding")
    }

    private static func display(_ message: some PushMessage) -> [UInt8] {
        guard var token = message as? SetTokenRequest else { return message.encoded() }
        token.token = WireString(token.token.string)
        return token.encoded()
    }

    // Cases with keys and plaintext also say how the request was made.
    private func replaySigning(_ fields: JSON) throws {
        if let account = fields["account"]?.stringValue, fields["spaceKeyPriv"] != nil {
            let spaceKey = try SigningKey(rawRepresentation: fields.hex("spaceKeyPriv"))
            let signature = spaceKey.signature(for: Array(account.utf8))
            try expect(signature, equals: fields.hex("accountSignature"), "accountSignature")
            try expect(spaceKey.publicKey.rawRepresentation, equals: fields.hex("spaceKey"), "spaceKey")
        }
        guard fields["plaintext"] != nil, let message = fields["message"] else { return }
        let encryptionKey = try SymmetricKey(rawRepresentation: fields.hex("encKey"))
        let payload = try encryptionKey.seal(fields.hex("plaintext"), nonce: fields.hex("nonce"))
        try expect(payload, equals: message.hex("payload"), "payload")
        try expect(encryptionKey.keyId, equals: message.string("keyId"), "keyId")
        let account = try SigningKey(rawRepresentation: fields.hex("accountKey"))
        try expect(account.signature(for: payload), equals: message.hex("signature"), "message signature")
    }

    private static func notifyRequest(_ fields: JSON) throws -> NotifyRequest {
        NotifyRequest(
            topics: try topics(fields), message: try fields["message"].map(message),
            groupId: WireString(try fields.string("groupId"))
        )
    }

    private static func message(_ fields: JSON) throws -> NotifyRequest.Message {
        NotifyRequest.Message(
            keyId: WireString(try fields.string("keyId")), payload: try fields.hex("payload"),
            signature: try fields.hex("signature")
        )
    }

    private static func setToken(_ fields: JSON) throws -> SetTokenRequest {
        guard let platform = Int32(exactly: try fields.int("platform")) else {
            throw VectorMismatch("field platform is not a 32-bit number")
        }
        return SetTokenRequest(platform: Platform(rawValue: platform), token: WireString(try fields.string("token")))
    }

    private static func space(_ fields: JSON) throws -> SpaceRequest {
        SpaceRequest(spaceKey: try fields.hex("spaceKey"), accountSignature: try fields.hex("accountSignature"))
    }

    private static func topics(_ fields: JSON) throws -> Topics? {
        guard fields["topics"] != nil else { return nil }
        return Topics(
            try fields.array("topics").map { topic in
                Topic(
                    spaceKey: try topic.hex("spaceKey"), topic: WireString(try topic.string("topic")),
                    signature: try topic.hex("signature")
                )
            }
        )
    }
}
