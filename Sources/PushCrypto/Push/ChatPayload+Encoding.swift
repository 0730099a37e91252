import ProtoWire

extension ChatPayload {
    /// The JSON that is sealed: field order, names and bytes as the reference writes them, with the text cut to its first
    /// ``maximumTextScalars`` scalars.
    ///
    /// - Returns: JSON, of any length; see ``encoded(fitting:)`` for what a provider takes.
    public func encoded() -> [UInt8] {
        encode(newMessage, text: truncatedText)
    }

    /// The text as it is sent when space allows.
    public var truncatedText: [UInt8] {
        Array(Runes.prefix(newMessage.text.bytes, count: Self.maximumTextScalars))
    }

    func encode(_ message: NewMessage, text: [UInt8]) -> [UInt8] {
        var json = GoJSON(reserving: 512 + text.count)
        json.raw("{")
        if !spaceId.isEmpty {
            json.raw("\"spaceId\":")
            json.string(spaceId.bytes)
            json.raw(",")
        }
        json.raw("\"spaceUxType\":")
        json.number(spaceUxType)
        json.raw(",\"spaceType\":")
        json.number(spaceType)
        json.raw(",\"senderId\":")
        json.string(senderId.bytes)
        json.raw(",\"type\":")
        json.number(type)
        json.raw(",\"newMessage\":{\"chatId\":")
        json.string(message.chatId.bytes)
        json.raw(",\"msgId\":")
        json.string(message.msgId.bytes)
        json.raw(",\"spaceName\":")
        json.string(message.spaceName.bytes)
        json.raw(",\"chatName\":")
        json.string(message.chatName.bytes)
        json.raw(",\"senderName\":")
        json.string(message.senderName.bytes)
        json.raw(",\"text\":")
        json.string(text)
        json.raw(",\"hasAttachments\":")
        if message.attachments.isEmpty {
            json.raw("false,\"attachments\":null}}")
            return json.bytes
        }
        json.raw("true,\"attachments\":[")
        for (index, attachment) in message.attachments.enumerated() {
            if index > 0 { json.raw(",") }
            json.raw("{\"layout\":")
            json.number(attachment.layout)
            json.raw("}")
        }
        json.raw("]}}")
        return json.bytes
    }
}
