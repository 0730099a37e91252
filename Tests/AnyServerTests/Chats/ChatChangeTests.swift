import ProtoWire
import PushCrypto
import Testing

@testable import AnyServer

struct ChatChangeTests {
    private static let chatId = ChatId.general(of: "space")
    private static let message = MessageRef(chatId: chatId, messageId: CID(of: [1]).text)

    private static let changes: [ChatChange] = [
        .createChat(name: "Kitchen"),
        .renameChat(chatId: chatId, name: "Küche"),
        .message(MessageBody(chatId: chatId, text: "hello")),
        .message(
            MessageBody(
                chatId: chatId, text: "", replyTo: "m", repliedAuthor: SigningKey().publicKey, extras: extras
            )
        ),
        .edit(message, text: "again"),
        .edit(message, text: "again", agent: ["name": "bao", "done": true, "outcome": "ok"]),
        .delete(message),
        .reaction(message, emoji: "👍", isOn: true),
        .reaction(message, emoji: "👍", isOn: false),
    ]

    private static let extras: MessageExtras = {
        do {
            return try MessageExtras([
                "agent": ["name": "bao", "done": false], "attachments": ["a1": ["type": "link", "link": "any://x"]],
                "context": ["spaceId": "s"], "control": ["kind": "break", "hard": true],
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private func read(_ kind: ChangeKind, _ body: [UInt8]) throws -> ChatChange? {
        try ChatChange(ChangeContent(counter: 1, createdAt: 0, kind: kind, body: body))
    }

    @Test(arguments: changes)
    func comesBackAsItWasWritten(change: ChatChange) throws {
        #expect(try read(change.kind, change.marshalled()) == change)
    }

    @Test func kindsOfOthersAreNone() throws {
        #expect(try read(.spaceDetails, [0xff]) == nil)
        #expect(try read(ChangeKind(rawValue: 4711), [0xff]) == nil)
    }

    @Test(arguments: [ChangeKind.createChat, .renameChat, .message, .editMessage, .deleteMessage, .reaction])
    func nothingAndGarbageAreRefused(kind: ChangeKind) {
        for body in [[], [0xff], [0x0a, 0x05, 1], [0x08, 0x01], [UInt8](repeating: 0x0a, count: 200)] {
            #expect(throws: ChangeError.self) { try read(kind, body) }
        }
    }

    @Test func holdsMembersToTheBoundsOfRequests() {
        let long = String(repeating: "x", count: ChatLimits.textByteCount + 1)
        let tooMuch: [ChatChange] = [
            .createChat(name: ""), .createChat(name: long), .renameChat(chatId: "short", name: "n"),
            .message(MessageBody(chatId: Self.chatId, text: long)),
            .message(MessageBody(chatId: Self.chatId, text: "")),
            .message(MessageBody(chatId: "elsewhere", text: "x")),
            .message(MessageBody(chatId: Self.chatId, text: "x", replyTo: String(repeating: "r", count: 257))),
            .edit(Self.message, text: ""), .edit(Self.message, text: long),
            .edit(MessageRef(chatId: Self.chatId, messageId: "m"), text: "x"),
            .reaction(Self.message, emoji: "", isOn: true),
            .reaction(Self.message, emoji: String(repeating: "e", count: 65), isOn: true),
        ]
        for change in tooMuch {
            #expect(throws: ChangeError.self, "\(change.kind)") { try read(change.kind, change.marshalled()) }
        }
    }

    @Test(arguments: ["", "[]", "{", #"{"agent":1}"#, #"{"attachments":{"a b":{"type":"t","link":"l"}}}"#])
    func refusesExtrasThatARequestCouldNotHave(json: String) throws {
        var writer = ProtoWriter()
        writer.string(1, Self.chatId)
        writer.string(2, "text")
        writer.element(5, Array(json.utf8) + (json.isEmpty ? [0x20] : []))
        #expect(throws: ChangeError.wrongField("extras")) { try read(.message, writer.bytes) }
    }

    @Test(arguments: changes)
    func nothingThatComesIsTooStrange(change: ChatChange) {
        var random = SplitMix(seed: UInt64(change.kind.rawValue))
        let body = change.marshalled()
        for _ in 0..<500 {
            var strange = body
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<strange.count, using: &random)
                strange[index] = UInt8.random(in: 0...255, using: &random)
            }
            strange.removeLast(Int.random(in: 0..<strange.count, using: &random))
            // What is still a change is one within its bounds, so it can be written and read again.
            guard let read = try? read(change.kind, strange) else { continue }
            #expect((try? self.read(read.kind, read.marshalled())) == read)
        }
    }

    @Test func textMustBeUTF8() {
        var writer = ProtoWriter()
        writer.string(1, Self.chatId)
        writer.bytes(2, [0x61, 0xff])
        #expect(throws: ChangeError.wrongField("text")) { try read(.message, writer.bytes) }
    }

    @Test func theLargestMessageFitsAChange() throws {
        let link = String(repeating: "\"", count: ChatLimits.linkByteCount)
        let attachments = (0..<ChatLimits.attachments).map { index in
            let id = String(repeating: "i", count: 60) + String(1000 + index)
            let type = String(repeating: "\\", count: ChatLimits.nameByteCount)
            return (id, JSONValue.object(["type": .string(type), "link": .string(link)]))
        }
        let draft = try ChatDraft([
            "text": .string(String(repeating: "t", count: ChatLimits.textByteCount)),
            "attachments": .object(JSONObject(attachments)),
        ])
        let body = MessageBody(chatId: Self.chatId, text: draft.text, extras: draft.extras)
        let content = ChangeContent(counter: 1, createdAt: 0, kind: .message, body: body.marshalled())
        let change = try TestSpace().change(content)
        #expect(change.bytes.count <= SignedChange.maximumByteCount)
        #expect(try ChatChange(content) == .message(body))
    }
}

struct ChangeOrderTests {
    @Test(arguments: [UInt64(1), 9, 10, 15, 16, 255, 256, 1 << 40, ChangeContent.maximumCounter])
    func versionIdsSortAsTheOrderDoes(counter: UInt64) {
        let order = ChangeOrder(counter: counter, changeId: "b")
        #expect(order.versionId.utf8.count == 17)
        for other in [ChangeOrder(counter: counter, changeId: "c"), ChangeOrder(counter: counter + 1, changeId: "a")] {
            #expect(order < other)
            #expect(!(other < order))
            #expect(order.versionId < other.versionId)
        }
    }

    @Test func theGeneralChatIsTheSpacesOwn() {
        #expect(ChatId.general(of: "a") == ChatId.general(of: "a"))
        #expect(ChatId.general(of: "a") != ChatId.general(of: "b"))
        // Stored by every account: it must never change.
        #expect(ChatId.general(of: "space") == "bafyreigikrewpn655emfdvnf4ehk26md2bzg2knnjtxb7h7qqevut6o4ki")
    }
}
