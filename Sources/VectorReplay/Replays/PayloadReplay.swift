import ProtoWire
import PushCrypto

/// Replays payload.json: chat payload fields in, the reference's JSON bytes out.
struct PayloadReplay: VectorFile {
    static let stem = "payload"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let payload = try Self.payload(vector)
        let text = payload.truncatedText
        try expect(text, equals: vector.hex("truncatedTextHex"), "truncatedTextHex")
        let output = payload.encoded()
        try expect(output, equals: vector.hex("outputHex"), "outputHex")
        // A case that fits a provider's message must not be changed by fitting it.
        if output.count <= ProviderBudget.payloadByteCount {
            try expect(payload.encoded(fitting: ProviderBudget.payloadByteCount), equals: output, "fitted output")
        } else {
            let fitted = try payload.encoded(fitting: ProviderBudget.payloadByteCount)
            try expect(fitted.count <= ProviderBudget.payloadByteCount, "fitted output is within the budget")
        }
        try expectReadable(output, payload, text, "outputHex")
        if vector["outputGo127Hex"] != nil {
            try expectReadable(vector.hex("outputGo127Hex"), payload, text, "outputGo127Hex")
        }
    }

    // What a reader makes of the bytes: the same fields, with U+FFFD for each broken byte.
    private func expectReadable(_ json: [UInt8], _ payload: ChatPayload, _ text: [UInt8], _ what: String) throws {
        guard json.count <= ChatPayload.maximumByteCount else {
            return try expectError("\(what) is longer than any provider carries") { try ChatPayload(json: json) }
        }
        var expected = payload
        expected.newMessage.text = WireString(bytes: text)
        let read = try ChatPayload(json: json)
        try expect(read.repaired, equals: expected.repaired, "\(what), read")
    }

    private static func payload(_ vector: JSON) throws -> ChatPayload {
        guard let input = vector["input"] else { throw VectorMismatch("the case has no field input") }
        func text(_ field: String) throws -> WireString {
            if input[field + "Hex"] != nil { return WireString(bytes: try input.hex(field + "Hex")) }
            return WireString(try input.string(field))
        }
        return ChatPayload(
            spaceId: try text("spaceId"), spaceUxType: try input.int("spaceUxType"),
            spaceType: try input.int("spaceType"), senderId: try text("senderId"), type: try input.int("type"),
            newMessage: ChatPayload.NewMessage(
                chatId: try text("chatId"), msgId: try text("msgId"), spaceName: try text("spaceName"),
                chatName: try text("chatName"), senderName: try text("senderName"), text: try text("text"),
                attachments: Array(repeating: ChatPayload.Attachment(), count: try input.int("attachments"))
            )
        )
    }
}

extension ChatPayload {
    /// The payload with one U+FFFD for each run of broken bytes: writers differ in how many a run becomes.
    fileprivate var repaired: ChatPayload {
        func repair(_ text: WireString) -> WireString {
            var scalars = String.UnicodeScalarView()
            for scalar in text.string.unicodeScalars where scalar != "\u{fffd}" || scalars.last != "\u{fffd}" {
                scalars.append(scalar)
            }
            return WireString(String(scalars))
        }
        var copy = self
        copy.spaceId = repair(spaceId)
        copy.senderId = repair(senderId)
        copy.newMessage.chatId = repair(newMessage.chatId)
        copy.newMessage.msgId = repair(newMessage.msgId)
        copy.newMessage.spaceName = repair(newMessage.spaceName)
        copy.newMessage.chatName = repair(newMessage.chatName)
        copy.newMessage.senderName = repair(newMessage.senderName)
        copy.newMessage.text = repair(newMessage.text)
        return copy
    }
}
