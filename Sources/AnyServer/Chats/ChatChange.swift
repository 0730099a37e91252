import ProtoWire

/// A change of a space's chats, as it stands in ``ChangeContent/body``.
///
/// ```
/// createChat    { name:1 }
/// renameChat    { chatId:1, name:2 }
/// message       see MessageBody
/// editMessage   { chatId:1, messageId:2, text:3, extras:4 JSON object, of which the agent counts }
/// deleteMessage { chatId:1, messageId:2 }
/// reaction      { chatId:1, messageId:2, emoji:3, isOn:4 bool }
/// ```
enum ChatChange: Hashable, Sendable {
    case createChat(name: String)
    case renameChat(chatId: String, name: String)
    case message(MessageBody)
    /// Without an agent, the one that the message was sent with counts.
    case edit(MessageRef, text: String, agent: JSONObject? = nil)
    case delete(MessageRef)
    case reaction(MessageRef, emoji: String, isOn: Bool)

    /// Reads a change.
    ///
    /// - Returns: `nil` for a kind that is no chat's or that this software does not know.
    /// - Throws: ``ChangeError/malformed(_:)`` or ``ChangeError/wrongField(_:)`` for one that is out of bounds.
    init?(_ content: ChangeContent) throws(ChangeError) {
        let names = 1...ChatLimits.nameByteCount
        switch content.kind {
        case .createChat:
            self = .createChat(name: try ChangeFields(content.body).text(1, "name", names))
        case .renameChat:
            let fields = try ChangeFields(content.body)
            self = .renameChat(chatId: try fields.objectId(1, "chatId"), name: try fields.text(2, "name", names))
        case .message:
            self = .message(try MessageBody(content.body))
        case .editMessage:
            let fields = try ChangeFields(content.body)
            self = .edit(
                try MessageRef(fields), text: try fields.text(3, "text", 1...ChatLimits.textByteCount),
                agent: fields.isAbsent(4) ? nil : try MessageExtras(change: fields.bytes(4), in: "extras").agent)
        case .deleteMessage:
            self = .delete(try MessageRef(try ChangeFields(content.body)))
        case .reaction:
            let fields = try ChangeFields(content.body, numbers: [4])
            let emoji = try fields.text(3, "emoji", 1...ChatLimits.emojiByteCount)
            self = .reaction(try MessageRef(fields), emoji: emoji, isOn: fields.flag(4))
        default: return nil
        }
    }

    /// The chat that it belongs to; `nil` for one that makes its own.
    var chatId: String? {
        switch self {
        case .createChat: nil
        case .renameChat(let chatId, _): chatId
        case .message(let body): body.chatId
        case .edit(let message, _, _), .delete(let message), .reaction(let message, _, _): message.chatId
        }
    }

    var kind: ChangeKind {
        switch self {
        case .createChat: .createChat
        case .renameChat: .renameChat
        case .message: .message
        case .edit: .editMessage
        case .delete: .deleteMessage
        case .reaction: .reaction
        }
    }

    /// The body of the change.
    func marshalled() -> [UInt8] {
        var writer = ProtoWriter()
        switch self {
        case .createChat(let name): writer.string(1, name)
        case .renameChat(let chatId, let name):
            writer.string(1, chatId)
            writer.string(2, name)
        case .message(let body): return body.marshalled()
        case .edit(let message, let text, let agent):
            message.write(to: &writer)
            writer.string(3, text)
            if let agent { writer.bytes(4, JSONWriter.bytes(["agent": .object(agent)])) }
        case .delete(let message): message.write(to: &writer)
        case .reaction(let message, let emoji, let isOn):
            message.write(to: &writer)
            writer.string(3, emoji)
            writer.varint(4, isOn ? 1 : 0)
        }
        return writer.bytes
    }
}

/// A message as changes refer to it.
struct MessageRef: Hashable, Sendable {
    let chatId: String
    let messageId: String

    init(chatId: String, messageId: String) {
        self.chatId = chatId
        self.messageId = messageId
    }

    fileprivate init(_ fields: ChangeFields) throws(ChangeError) {
        chatId = try fields.objectId(1, "chatId")
        messageId = try fields.objectId(2, "messageId")
    }

    fileprivate func write(to writer: inout ProtoWriter) {
        writer.string(1, chatId)
        writer.string(2, messageId)
    }
}
