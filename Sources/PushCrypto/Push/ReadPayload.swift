import FoundationEssentials
public import ProtoWire

/// What a silent notification says to the account's own devices: a chat was read.
///
/// Sealed and signed as a message is, so that nobody but the account can take its notifications back. Readers that know
/// messages only do not look at what a silent notification carries.
public struct ReadPayload: Hashable, Sendable {
    /// The `type` of a notification that a chat was read.
    public static let type = 2

    /// The space.
    public var spaceId: WireString
    /// The account's address.
    public var senderId: WireString
    /// The chat object's id.
    public var chatId: WireString
    /// The last message that was read, with all before it; empty when that is not known.
    public var lastMessageId: WireString
    /// When it was read, in milliseconds since 1970.
    public var readAt: Int64

    /// A payload; see the properties.
    public init(
        spaceId: WireString, senderId: WireString, chatId: WireString, lastMessageId: WireString, readAt: Int64
    ) {
        self.spaceId = spaceId
        self.senderId = senderId
        self.chatId = chatId
        self.lastMessageId = lastMessageId
        self.readAt = readAt
    }

    /// The JSON that is sealed, as long as its ids are.
    ///
    /// - Parameter limit: the most bytes of JSON.
    /// - Throws: ``FittingError`` when the ids are over the limit.
    public func encoded(fitting limit: Int = ProviderBudget.payloadByteCount) throws(FittingError) -> [UInt8] {
        var json = GoJSON(reserving: 512)
        json.raw("{\"spaceId\":")
        json.string(spaceId.bytes)
        json.raw(",\"senderId\":")
        json.string(senderId.bytes)
        json.raw(",\"type\":")
        json.number(Self.type)
        json.raw(",\"readMessage\":{\"chatId\":")
        json.string(chatId.bytes)
        json.raw(",\"lastMessageId\":")
        json.string(lastMessageId.bytes)
        json.raw(",\"readAt\":")
        json.number(Int(readAt))
        json.raw("}}")
        guard json.bytes.count <= limit else { throw .fixedPartsTooLong(limit: limit, found: json.bytes.count) }
        return json.bytes
    }

    /// Reads the JSON of an opened payload: any field order, unknown fields, absent ids as empty.
    ///
    /// - Throws: ``PayloadError``; also for a payload of another type.
    public init(json: [UInt8]) throws(PayloadError) {
        guard json.count <= ChatPayload.maximumByteCount else {
            throw .tooLong(limit: ChatPayload.maximumByteCount, found: json.count)
        }
        let repaired = Data(String(decoding: json, as: UTF8.self).utf8)
        guard let fields = try? JSONDecoder().decode(Fields.self, from: repaired) else {
            throw .malformed(reason: "not JSON with a type and a readMessage")
        }
        guard fields.type == Self.type else { throw .malformed(reason: "not of type \(Self.type)") }
        self.init(
            spaceId: WireString(fields.spaceId ?? ""), senderId: WireString(fields.senderId ?? ""),
            chatId: WireString(fields.readMessage.chatId ?? ""),
            lastMessageId: WireString(fields.readMessage.lastMessageId ?? ""), readAt: fields.readMessage.readAt ?? 0
        )
    }
}

private struct Fields: Decodable {
    var spaceId: String?
    var senderId: String?
    var type: Int
    var readMessage: Reading

    struct Reading: Decodable {
        var chatId: String?
        var lastMessageId: String?
        var readAt: Int64?
    }
}
