import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import AnyServer

@Suite struct ChatStoreTests {
    @Test func aMessageIsThereAsItWasSent() async throws {
        let bench = try await ChatBench()
        let draft = try ChatDraft([
            "text": "hello", "agent": ["name": "bao", "done": true],
            "attachments": ["a1": ["type": "link", "link": "any://x"]],
        ])
        let sent = try await bench.owner.store.sendMessage(draft, to: bench.chatId, in: bench.spaceId)
        #expect(sent.messageId == sent.changeId)
        #expect(sent.versionId == "0000000000000001" + sent.changeId)
        let message = try #require(try await bench.messages(of: bench.owner).first)
        #expect(message.id == sent.messageId)
        #expect(message.creator == bench.owner.identity)
        #expect(!message.isUnread)
        let record = message.record
        #expect(
            record.names == [
                "id", "creator", "createdAt", "modifiedAt", "text", "agent", "attachments", "_ver",
            ])
        #expect(record["createdAt"] == Timestamp.json(message.createdAt))
        #expect(record["_ver"] == ["id": .string(sent.versionId)])
        #expect(record["agent"] == ["name": "bao", "done": true])
    }

    @Test func listsInOrderWithinBounds() async throws {
        let bench = try await ChatBench()
        var versions: [String] = []
        for number in 0..<10 { versions.append(try await bench.send("\(number)", by: bench.owner).versionId) }
        func list(_ query: MessageQuery) async throws -> [String] {
            try await bench.messages(of: bench.owner, query).map(\.text)
        }
        #expect(versions == versions.sorted())
        #expect(try await list(MessageQuery(limit: 3)) == ["9", "8", "7"])
        #expect(try await list(MessageQuery(before: versions[7], limit: 3)) == ["6", "5", "4"])
        #expect(try await list(MessageQuery(after: versions[7], isDescending: false)) == ["8", "9"])
        #expect(try await list(MessageQuery(isDescending: false, limit: 2)) == ["0", "1"])
        #expect(try await list(MessageQuery(before: versions[4], after: versions[1])) == ["3", "2"])
        for limit in [0, -1, .min] { #expect(try await list(MessageQuery(limit: limit)) == []) }
        #expect(try await list(MessageQuery(limit: .max)).count == 10)
        let store = bench.owner.store
        let all = try await store.messages(MessageQuery(limit: 10), in: bench.chatId, of: bench.spaceId)
        #expect(!all.hasNext)
        #expect(try await store.messages(MessageQuery(limit: 9), in: bench.chatId, of: bench.spaceId).hasNext)
        #expect(try await store.messages(MessageQuery(), in: "elsewhere", of: bench.spaceId).messages.isEmpty)
    }

    @Test func editsKeepThePlaceAndDeletesLeaveNothing() async throws {
        let bench = try await ChatBench()
        let first = try await bench.send("one", by: bench.owner)
        try await bench.send("two", by: bench.owner)
        let store = bench.owner.store
        let edit = try await store.editMessage(first.messageId, text: "uno", in: bench.chatId, of: bench.spaceId)
        #expect(edit.messageId == first.messageId)
        #expect(edit.versionId > first.versionId)
        #expect(try await bench.texts(of: bench.owner) == ["uno", "two"])
        let edited = try #require(try await bench.messages(of: bench.owner).first)
        #expect(edited.versionId == first.versionId)
        #expect(edited.modifiedAt > edited.createdAt)
        _ = try await store.deleteMessage(first.messageId, in: bench.chatId, of: bench.spaceId)
        #expect(try await bench.texts(of: bench.owner) == ["two"])
        await #expect(throws: ChatError.messageDeleted) {
            try await store.editMessage(first.messageId, text: "x", in: bench.chatId, of: bench.spaceId)
        }
    }

    @Test func reactionsToggle() async throws {
        let bench = try await ChatBench()
        let id = try await bench.send("one", by: bench.owner).messageId
        let store = bench.owner.store
        #expect(try await store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId).isOn)
        let message = try #require(try await bench.messages(of: bench.owner).first)
        #expect(message.record.object("reactions")?.object("👍")?.names == [bench.owner.id])
        #expect(try await !store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId).isOn)
        #expect(try await bench.messages(of: bench.owner).first?.reactions == [])
        for emoji in ["", String(repeating: "e", count: 65)] {
            await #expect(throws: ChatError.emojiInvalid) {
                _ = try await store.toggleReaction(emoji, on: id, in: bench.chatId, of: bench.spaceId)
            }
        }
        await #expect(throws: ChatError.messageNotFound) {
            _ = try await store.toggleReaction("👍", on: "nothing", in: bench.chatId, of: bench.spaceId)
        }
    }

    @Test func whoMayWriteWhat() async throws {
        let bench = try await ChatBench(.writer, .reader)
        let (writer, reader) = (bench.others[0], bench.others[1])
        let id = try await bench.send("mine", by: bench.owner).messageId
        for account in bench.others { try await account.take(bench.spaceId, from: bench.owner) }
        await #expect(throws: ChatError.notAuthor) {
            try await writer.store.editMessage(id, text: "x", in: bench.chatId, of: bench.spaceId)
        }
        await #expect(throws: ChatError.notAuthor) {
            try await writer.store.deleteMessage(id, in: bench.chatId, of: bench.spaceId)
        }
        await #expect(throws: SpaceError.readOnly(role: .reader)) { try await bench.send("x", by: reader) }
        await #expect(throws: SpaceError.readOnly(role: .reader)) {
            _ = try await reader.store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId)
        }
        await #expect(throws: ChatError.chatNotFound) { try await bench.send("x", by: writer, in: "elsewhere") }
        await #expect(throws: SpaceError.notFound) {
            try await bench.owner.store.sendMessage(try ChatDraft(text: "x"), to: bench.chatId, in: "nowhere")
        }
        try await reader.store.markAllRead(in: bench.chatId, of: bench.spaceId)
    }

    @Test func chatsAreMadeNamedAndListed() async throws {
        let bench = try await ChatBench(.writer)
        let store = bench.owner.store
        let made = try await store.createChat(name: "Kitchen", in: bench.spaceId)
        #expect(!made.isGeneral)
        try await bench.send("soup", by: bench.owner, in: made.id)
        try await store.renameChat(made.id, name: "Küche", in: bench.spaceId)
        try await bench.others[0].take(bench.spaceId, from: bench.owner)
        let chats = try await bench.others[0].store.chats(of: bench.spaceId)
        #expect(chats.map(\.name) == [nil, "Küche"])
        #expect(chats.map(\.isGeneral) == [true, false])
        #expect(chats.map(\.unreadCount) == [0, 1])
        #expect(try await store.chat(made.id, of: bench.spaceId)?.name == "Küche")
        #expect(try await store.chat("elsewhere", of: bench.spaceId) == nil)
        for name in ["", "a\nb", String(repeating: "n", count: 257)] {
            await #expect(throws: ChatError.nameInvalid) { try await store.createChat(name: name, in: bench.spaceId) }
        }
        await #expect(throws: ChatError.chatNotFound) {
            try await store.renameChat("elsewhere", name: "x", in: bench.spaceId)
        }
    }

    @Test func notifyModesArePrivateAndNeverLost() async throws {
        let bench = try await ChatBench(.writer)
        let (store, other) = (bench.owner.store, bench.others[0])
        try await store.setChatNotifyMode("mentions", of: bench.chatId, in: bench.spaceId)
        #expect(bench.owner.events().contains { $0.hasPrefix("chatModeWritten") })
        #expect(try await bench.chat(of: bench.owner).notifyMode == .mentions)
        try await other.take(bench.spaceId, from: bench.owner)
        #expect(try await bench.chat(of: other).notifyMode == nil)
        await #expect(throws: ChatError.chatNotFound) {
            try await store.setChatNotifyMode("all", of: "elsewhere", in: bench.spaceId)
        }
        // What another version may know counts as none here, and is kept.
        try await store.setChatNotifyMode("loud", of: bench.chatId, in: bench.spaceId)
        #expect(try await bench.chat(of: bench.owner).notifyMode == nil)
        try await store.setChatNotifyMode(nil, of: bench.chatId, in: bench.spaceId)
        #expect(try await bench.chat(of: bench.owner).notifyMode == nil)
    }
}

@Suite struct ChatReopeningTests {
    @Test func whatWasAcknowledgedIsThereAfterReopening() async throws {
        let bench = try await ChatBench()
        let first = try await bench.send("one", by: bench.owner)
        try await bench.send("two", by: bench.owner, replyTo: first.messageId)
        let owner = bench.owner.store
        _ = try await owner.editMessage(first.messageId, text: "uno", in: bench.chatId, of: bench.spaceId)
        _ = try await owner.toggleReaction("👍", on: first.messageId, in: bench.chatId, of: bench.spaceId)
        let before = try await bench.messages(of: bench.owner)
        let chats = try await owner.chats(of: bench.spaceId)
        let store = try await bench.owner.reopened()
        let query = MessageQuery(isDescending: false)
        #expect(try await store.messages(query, in: bench.chatId, of: bench.spaceId).messages == before)
        #expect(try await store.chats(of: bench.spaceId) == chats)
    }
}
