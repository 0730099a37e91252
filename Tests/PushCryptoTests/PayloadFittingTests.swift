import ProtoWire
import PushCrypto
import Testing

/// What gives way when a payload is too long for a provider: names first, then the text, then the rest of the names.
@Suite struct PayloadFittingTests {
    @Test(arguments: [0, 1, 2])
    func aLongNameDoesNotEatTheMessage(_ position: Int) throws {
        var names = ["Lighthouse", "general", "Alice"]
        names[position] = String(repeating: "n", count: 2048)
        let text = String(repeating: "word ", count: 200)
        let read = try fitted(names, text: text)
        #expect(read.text.string == text)
        let kept = [read.spaceName, read.chatName, read.senderName].map(\.string)
        #expect(kept[position] == String(repeating: "n", count: 64))
        for other in 0..<3 where other != position { #expect(kept[other] == names[other]) }
    }

    @Test func allNamesAndTheTextAreLong() throws {
        let name = String(repeating: "名", count: 2048)
        let read = try fitted([name, name, name], text: String(repeating: "t", count: 5000))
        #expect([read.spaceName, read.chatName, read.senderName].allSatisfy { $0.string.unicodeScalars.count == 64 })
        #expect(read.text.string.count == 1024)
        let cut = try fitted([name, name, name], text: String(repeating: "語", count: 1024))
        #expect(cut.senderName.string.unicodeScalars.count == 64)
        #expect((400..<1024).contains(cut.text.string.unicodeScalars.count))
    }

    @Test func namesThatFitAreNotTouched() throws {
        let name = String(repeating: "n", count: 500)
        let read = try fitted([name, name, name], text: "hello")
        #expect([read.spaceName, read.chatName, read.senderName].allSatisfy { $0.string == name })
    }

    @Test func keptNamesGiveWayBeforeIdsAreRefused() throws {
        // A limit that a longer id would leave: the text goes, then the names, the longest first.
        let payload = payload(["Lighthouse by the sea", "c", "Alice"], text: "hello")
        let bare = self.payload(["", "", ""], text: "").encoded().count
        let read = try ChatPayload(json: payload.encoded(fitting: bare + 11)).newMessage
        #expect(read.text.isEmpty && read.spaceName.string == "Light" && read.senderName.string == "Alice")
        #expect(throws: FittingError.fixedPartsTooLong(limit: bare - 1, found: bare)) {
            try payload.encoded(fitting: bare - 1)
        }
    }

    private func fitted(_ names: [String], text: String) throws -> ChatPayload.NewMessage {
        let json = try payload(names, text: text).encoded(fitting: ProviderBudget.payloadByteCount)
        #expect(json.count <= ProviderBudget.payloadByteCount)
        return try ChatPayload(json: json).newMessage
    }

    private func payload(_ names: [String], text: String) -> ChatPayload {
        ChatPayload(
            spaceId: "space", isOneToOne: false, senderId: "sender",
            newMessage: ChatPayload.NewMessage(
                chatId: "chat", msgId: "message", spaceName: WireString(names[0]), chatName: WireString(names[1]),
                senderName: WireString(names[2]), text: WireString(text)))
    }
}
