import PushCrypto
import Testing

@testable import AnyServer

@Suite struct ChatUnreadTests {
    private func counts(_ chat: ChatInfo) -> [Int] {
        [chat.unreadCount, chat.unreadMentionCount, chat.unreadReactionCount]
    }

    @Test func othersMessagesAreUnreadUntilRead() async throws {
        let bench = try await ChatBench(.writer)
        let (owner, other) = (bench.owner, bench.others[0])
        var ids: [String] = []
        for number in 0..<4 {
            let mention = number == 1 || number == 3 ? bench.mention(other) : ""
            ids.append(try await bench.send("\(number) \(mention)", by: owner).messageId)
        }
        #expect(counts(try await bench.chat(of: owner)) == [0, 0, 0])
        try await other.take(bench.spaceId, from: owner)
        #expect(counts(try await bench.chat(of: other)) == [4, 2, 0])
        try await other.take(bench.spaceId, from: owner)
        #expect(counts(try await bench.chat(of: other)) == [4, 2, 0])

        let store = other.store
        func list(_ query: MessageQuery) async throws -> [String] {
            try await bench.messages(of: other, query).map(\.id)
        }
        #expect(try await list(MessageQuery(mentioning: other.identity)) == [ids[3], ids[1]])
        try await store.markRead(upTo: ids[1], in: bench.chatId, of: bench.spaceId)
        #expect(counts(try await bench.chat(of: other)) == [2, 1, 0])
        #expect(try await list(MessageQuery(isUnread: true)) == [ids[3], ids[2]])
        #expect(try await list(MessageQuery(isUnread: false)) == [ids[1], ids[0]])
        #expect(try await list(MessageQuery(isUnreadMention: true)) == [ids[3]])
        #expect(try await list(MessageQuery(mentioning: other.identity, isUnreadMention: false)) == [ids[1]])
        #expect(try await list(MessageQuery(isUnread: true, isDescending: false)) == [ids[2], ids[3]])
        #expect(try await list(MessageQuery(isUnread: false, isUnreadMention: true)) == [])
        await #expect(throws: ChatError.messageNotFound) {
            try await store.markRead(upTo: "nothing", in: bench.chatId, of: bench.spaceId)
        }
        try await store.markAllRead(in: bench.chatId, of: bench.spaceId)
        #expect(counts(try await bench.chat(of: other)) == [0, 0, 0])
    }

    @Test func anEditThatMentionsAnewIsAnUnreadMention() async throws {
        let bench = try await ChatBench(.writer)
        let (owner, other) = (bench.owner, bench.others[0])
        let id = try await bench.send("plain", by: owner).messageId
        try await other.take(bench.spaceId, from: owner)
        try await other.store.markAllRead(in: bench.chatId, of: bench.spaceId)
        func edit(_ text: String) async throws -> [Int] {
            _ = try await owner.store.editMessage(id, text: text, in: bench.chatId, of: bench.spaceId)
            try await other.take(bench.spaceId, from: owner)
            return counts(try await bench.chat(of: other))
        }
        #expect(try await edit("now \(bench.mention(other))") == [0, 1, 0])
        #expect(try await edit("still \(bench.mention(other))") == [0, 1, 0])
        #expect(try await edit("not") == [0, 0, 0])
        #expect(try await edit("again \(bench.mention(other))") == [0, 1, 0])
        try await other.store.markAllRead(in: bench.chatId, of: bench.spaceId)
        #expect(try await edit("as before \(bench.mention(other))") == [0, 0, 0])
    }

    @Test func aDeletedMessageIsNotUnread() async throws {
        let bench = try await ChatBench(.writer)
        let (owner, other) = (bench.owner, bench.others[0])
        let id = try await bench.send("\(bench.mention(other))", by: owner).messageId
        try await other.take(bench.spaceId, from: owner)
        #expect(counts(try await bench.chat(of: other)) == [1, 1, 0])
        _ = try await owner.store.deleteMessage(id, in: bench.chatId, of: bench.spaceId)
        try await other.take(bench.spaceId, from: owner)
        #expect(counts(try await bench.chat(of: other)) == [0, 0, 0])
        #expect(try await bench.messages(of: other, MessageQuery(mentioning: other.identity)).isEmpty)
    }

    @Test func reactionsOnOwnMessagesAreUnread() async throws {
        let bench = try await ChatBench(.writer)
        let (owner, other) = (bench.owner, bench.others[0])
        let id = try await bench.send("x", by: owner).messageId
        try await other.take(bench.spaceId, from: owner)
        _ = try await other.store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId)
        #expect(counts(try await bench.chat(of: other)) == [1, 0, 0])
        try await owner.take(bench.spaceId, from: other)
        #expect(counts(try await bench.chat(of: owner)) == [0, 0, 1])
        #expect(try await bench.messages(of: owner).first?.hasUnreadReactions == true)
        try await owner.store.markRead(upTo: id, in: bench.chatId, of: bench.spaceId)
        #expect(counts(try await bench.chat(of: owner)) == [0, 0, 1])
        try await owner.store.markReactionsRead(on: id, in: bench.chatId, of: bench.spaceId)
        try await owner.store.markReactionsRead(on: "nothing", in: bench.chatId, of: bench.spaceId)
        #expect(counts(try await bench.chat(of: owner)) == [0, 0, 0])
    }
}
