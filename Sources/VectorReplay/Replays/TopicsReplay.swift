import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// Replays topics.json: signed topics and their protobuf form.
struct TopicsReplay: VectorFile {
    static let stem = "topics"

    private let chatHash: String
    private let chatObjectId: String

    init(file: JSON) throws {
        chatHash = try file.string("chatHash")
        chatObjectId = try file.string("chatObjectId")
    }

    func replay(_ vector: JSON) throws {
        let groupId = GroupId(chatId: chatObjectId)
        try expect(groupId.text, equals: chatHash, "chatHash")
        let spaceKey = try SigningKey(rawRepresentation: vector.hex("spaceKeyPriv"))
        try expect(spaceKey.publicKey.rawRepresentation, equals: vector.hex("spaceKeyPub"), "spaceKeyPub")
        let base58 = try vector.string("spaceKeyPubBase58")
        try expect(Base58.encode(spaceKey.publicKey.rawRepresentation), equals: base58, "spaceKeyPubBase58")
        // Only the space key signs topics; any encryption key does.
        let keys = SpacePushKeys(spaceKey: spaceKey, encryptionKey: SymmetricKey())
        var topics = Topics()
        for expected in try vector.array("topics") {
            let name = WireString(try expected.string("topic"))
            let signed = keys.sign(name)
            try expect(signed.signature, equals: expected.hex("signature"), "signature of \(name)")
            try expect(spaceKey.publicKey.isValidSignature(signed.signature, for: name.bytes), "signature of \(name)")
            let topic = Topic(signed)
            try expect(topic.encoded(), equals: expected.hex("topicProto"), "topicProto of \(name)")
            try expect(Topic(bytes: expected.hex("topicProto")), equals: topic, "topicProto of \(name), decoded")
            try expect("\(base58)/\(name)", equals: expected.string("serverTopic"), "serverTopic of \(name)")
            topics.topics.append(topic)
        }
        try expect(topics.encoded(), equals: vector.hex("topicsProto"), "topicsProto")
        try expect(Topics(bytes: vector.hex("topicsProto")), equals: topics, "topicsProto, decoded")
        try expectBuilt(vector, groupId, topics.topics.map(\.topic))
    }

    // A case that starts with the space's topic is a message's whole set: build it from the mentions it names.
    private func expectBuilt(_ vector: JSON, _ groupId: GroupId, _ names: [WireString]) throws {
        guard names.starts(with: [TopicName.chats, TopicName.chat(groupId)]) else { return }
        let mentions = try names.dropFirst(2).filter { !$0.string.contains("/") }
            .map { try PublicKey(accountAddress: $0.string) }
        try expect(TopicName.newMessage(in: groupId, mentions: mentions), equals: names, "topics of a new message")
        let mentionsOnly = TopicName.newMentions(in: groupId, mentions: mentions)
        try expect(mentionsOnly, equals: Array(names.dropFirst(2)), "topics of new mentions")
    }
}
