import FoundationEssentials
import ProtoWire

/// Why opened bytes are no chat payload.
public enum PayloadError: Error, Hashable, Sendable {
    /// Longer than any provider carries, in bytes.
    case tooLong(limit: Int, found: Int)
    /// Not JSON, or without a field that every payload has, or with one of another type.
    case malformed(reason: String)
}

extension ChatPayload {
    /// The longest JSON that is read, in bytes. No sealed payload of a provider's message opens to more.
    public static let maximumByteCount = ProviderBudget.messageByteCount

    /// Reads the JSON of an opened payload: any field order, unknown fields, `[]` for `null`, absent numbers as 0.
    ///
    /// - Parameter json: what ``SymmetricKey/open(_:)`` returned.
    /// - Throws: ``PayloadError``.
    public init(json: [UInt8]) throws(PayloadError) {
        guard json.count <= Self.maximumByteCount else {
            throw .tooLong(limit: Self.maximumByteCount, found: json.count)
        }
        do {
            // Bytes that are not UTF-8 read as U+FFFD, as the reference reads them.
            let repaired = Data(String(decoding: json, as: UTF8.self).utf8)
            self.init(try JSONDecoder().decode(Fields.self, from: repaired))
        } catch let error as DecodingError {
            throw .malformed(reason: error.place)
        } catch {
            throw .malformed(reason: "not JSON")
        }
    }

    private init(_ fields: Fields) {
        let message = fields.newMessage
        self.init(
            spaceId: WireString(fields.spaceId ?? ""),
            spaceUxType: fields.spaceUxType ?? 0, spaceType: fields.spaceType ?? 0,
            senderId: WireString(fields.senderId ?? ""), type: fields.type ?? 0,
            newMessage: NewMessage(
                chatId: WireString(message.chatId ?? ""), msgId: WireString(message.msgId ?? ""),
                spaceName: WireString(message.spaceName ?? ""), chatName: WireString(message.chatName ?? ""),
                senderName: WireString(message.senderName ?? ""), text: WireString(message.text ?? ""),
                attachments: (message.attachments ?? []).map { Attachment(layout: $0.layout ?? 0) }
            )
        )
    }
}

private struct Fields: Decodable {
    var spaceId: String?
    var spaceUxType: Int?
    var spaceType: Int?
    var senderId: String?
    var type: Int?
    var newMessage: Message

    struct Message: Decodable {
        var chatId: String?
        var msgId: String?
        var spaceName: String?
        var chatName: String?
        var senderName: String?
        var text: String?
        var attachments: [Attachment]?
    }

    struct Attachment: Decodable {
        var layout: Int?
    }
}

extension DecodingError {
    /// Where decoding failed, without a word of the content.
    fileprivate var place: String {
        switch self {
        case .keyNotFound(let key, _): "no field \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "wrong type of field " + context.codingPath.map(\.stringValue).joined(separator: ".")
        default: "not JSON"
        }
    }
}
