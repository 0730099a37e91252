public import ProtoWire
public import PushCrypto

/// A topic as it is on the wire: nothing in it is checked.
public struct Topic: PushMessage {
    /// The raw public half of the space push key, 32 bytes when the peer is well behaved.
    public var spaceKey: [UInt8]
    /// The topic's name.
    public var topic: WireString
    /// The space push key's signature of the name; empty in an answer.
    public var signature: [UInt8]

    /// What stands in the place of a signature where a topic is to stay that the account holds already: the word `held`.
    /// No signature is as short, so that a node which does not know it refuses the request, as the reference does.
    public static let held: [UInt8] = Array("held".utf8)

    /// A topic; see the properties.
    public init(spaceKey: [UInt8], topic: WireString, signature: [UInt8] = []) {
        self.spaceKey = spaceKey
        self.topic = topic
        self.signature = signature
    }

    /// A topic that was signed.
    public init(_ signed: SignedTopic) {
        self.init(spaceKey: signed.spaceKey.rawRepresentation, topic: signed.name, signature: signed.signature)
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(spaceKey: [], topic: "")
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: spaceKey = try reader.bytes()
            case 2: topic = try reader.string()
            case 3: signature = try reader.bytes()
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        writer.bytes(1, spaceKey)
        writer.string(2, topic)
        writer.bytes(3, signature)
    }
}

/// A list of topics.
public struct Topics: PushMessage {
    /// The topics, in order; repeated ones stay.
    public var topics: [Topic]

    /// A list.
    public init(_ topics: [Topic] = []) {
        self.topics = topics
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        try merge(bytes)
    }

    /// Appends the topics of another encoding of this field, as protobuf merges a message that comes in parts.
    mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: topics.append(try Topic(bytes: try reader.slice()))
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        for topic in topics {
            writer.message(1) { topic.write(to: &$0) }
        }
    }
}
