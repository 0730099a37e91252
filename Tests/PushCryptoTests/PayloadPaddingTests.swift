import FoundationEssentials
import ProtoWire
import PushCrypto
import Testing

@Suite struct PayloadPaddingTests {
    @Test func aPayloadHasFullStepsWithinTheBudget() {
        for count in [0, 1, 2, 255, 256, 257, 2559, 2560, 2561, 2599, 2600, 2601, 4000] {
            let json = [UInt8](repeating: UInt8(ascii: "x"), count: count)
            let padded = PayloadPadding.padded(json)
            #expect(padded.starts(with: json))
            #expect(padded[count...].allSatisfy { $0 == UInt8(ascii: " ") })
            #expect(padded.count % 256 == 0 || padded.count == 2600 || padded == json)
            #expect(padded.count - count < 256)
            #expect(padded.count <= 2600 || padded == json)
        }
    }

    @Test func paddingNeverShortensAText() throws {
        for length in 0...1024 {
            let payload = payload(text: String(repeating: "あ", count: length))
            let fitted = try payload.encoded(fitting: ProviderBudget.payloadByteCount)
            let read = try ChatPayload(json: PayloadPadding.padded(fitted))
            #expect(read.newMessage.text == (try ChatPayload(json: fitted)).newMessage.text)
        }
    }

    @Test func readersTakeSpacesBehindTheJSON() throws {
        let payload = payload(text: "hello 👋 <b>")
        let padded = PayloadPadding.padded(payload.encoded())
        #expect(padded.count % 256 == 0)
        #expect(try ChatPayload(json: padded) == payload)
        // Foundation's own reader, as a client in Swift uses it.
        struct Reader: Decodable { let spaceId: String }
        #expect(try JSONDecoder().decode(Reader.self, from: Data(padded)).spaceId == "space")
        let read = ReadPayload(spaceId: "s", senderId: "a", chatId: "c", lastMessageId: "m", readAt: 7)
        #expect(try ReadPayload(json: PayloadPadding.padded(read.encoded())) == read)
    }

    @Test func aReadingHasItsForm() throws {
        let read = ReadPayload(
            spaceId: "s", senderId: "a", chatId: "c", lastMessageId: "m\"", readAt: 1_700_000_000_123)
        let json =
            #"{"spaceId":"s","senderId":"a","type":2,"readMessage":"#
            + #"{"chatId":"c","lastMessageId":"m\"","readAt":1700000000123}}"#
        #expect(String(decoding: try read.encoded(), as: UTF8.self) == json)
        #expect(try ReadPayload(json: Array(json.utf8)) == read)
        let bare = Array(#"{"type":2,"readMessage":{},"other":1}"#.utf8)
        #expect(
            try ReadPayload(json: bare)
                == ReadPayload(spaceId: "", senderId: "", chatId: "", lastMessageId: "", readAt: 0))
        for text in [
            "", "{}", #"{"type":1,"readMessage":{}}"#, #"{"type":2}"#, #"{"type":2,"readMessage":{"readAt":"x"}}"#,
        ] {
            #expect(throws: PayloadError.self) { try ReadPayload(json: Array(text.utf8)) }
        }
        #expect(throws: PayloadError.self) { try ReadPayload(json: [UInt8](repeating: 0x20, count: 4097)) }
        let long = ReadPayload(
            spaceId: WireString(String(repeating: "s", count: 2600)), senderId: "", chatId: "", lastMessageId: "",
            readAt: 0)
        #expect(throws: FittingError.self) { try long.encoded() }
    }

    private func payload(text: String) -> ChatPayload {
        ChatPayload(
            spaceId: "space", isOneToOne: false, senderId: "sender",
            newMessage: ChatPayload.NewMessage(
                chatId: "chat", msgId: "message", spaceName: "Space", chatName: "Chat", senderName: "Name",
                text: WireString(text)
            )
        )
    }
}
