import PushCrypto
import SQLiteStorage
import Testing

@testable import AnyServer

@Suite struct ChatConvergenceTests {
    /// What every member must see alike.
    private struct View: Equatable {
        let chats: [String: String?]
        let messages: [String: [ChatMessageView]]
    }

    private struct ChatMessageView: Equatable {
        let id: String
        let version: String
        let text: String
        let agent: JSONObject?
        let modifiedAt: Int64
        let mentions: [PublicKey]
        let reactions: [ChatMessage.Reaction]
    }

    private func view(_ bench: ChatBench, _ account: TestAccount) async throws -> View {
        let chats = try await account.store.chats(of: bench.spaceId)
        var messages: [String: [ChatMessageView]] = [:]
        for chat in chats {
            messages[chat.id] = try await bench.messages(of: account, in: chat.id).map {
                ChatMessageView(
                    id: $0.id, version: $0.versionId, text: $0.text, agent: $0.extras.agent, modifiedAt: $0.modifiedAt,
                    mentions: $0.mentions, reactions: $0.reactions
                )
            }
        }
        return View(chats: Dictionary(uniqueKeysWithValues: chats.map { ($0.id, $0.name) }), messages: messages)
    }

    private func write(
        _ count: Int, by account: TestAccount, _ bench: ChatBench, _ random: inout SplitMix
    ) async throws {
        let store = account.store
        for _ in 0..<count {
            let chats = try await store.chats(of: bench.spaceId).map(\.id)
            guard let chat = chats.randomElement(using: &random) else { continue }
            let messages = try await bench.messages(of: account, in: chat)
            let message = messages.randomElement(using: &random)
            let own = messages.filter { $0.creator == account.identity }.randomElement(using: &random)
            let someone = bench.all.randomElement(using: &random).map(bench.mention) ?? ""
            switch (Int.random(in: 0..<12, using: &random), message, own) {
            case (0, _, _): _ = try await store.createChat(name: "chat \(random.next() % 100)", in: bench.spaceId)
            case (1, _, _): try await store.renameChat(chat, name: "name \(random.next() % 100)", in: bench.spaceId)
            case (2...4, _, let own?):
                let text = "\(random.next()) \(someone)"
                let agent: JSONObject? =
                    Bool.random(using: &random) ? ["name": .string("bot \(random.next())"), "done": true] : nil
                _ = try await store.editMessage(own.id, text: text, agent: agent, in: chat, of: bench.spaceId)
            case (5, _, let own?): _ = try await store.deleteMessage(own.id, in: chat, of: bench.spaceId)
            case (6...8, let message?, _):
                let emoji = ["👍", "👎"].randomElement(using: &random) ?? ""
                _ = try await store.toggleReaction(emoji, on: message.id, in: chat, of: bench.spaceId)
            default:
                try await bench.send("\(random.next()) \(someone)", by: account, replyTo: message?.id, in: chat)
            }
        }
    }

    @Test(arguments: 0..<12)
    func everyOrderOfArrivalGivesTheSame(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let bench = try await ChatBench(.writer, .writer, .reader)
        let writers = Array(bench.all.prefix(3))
        for _ in 0..<4 {
            for writer in writers { try await write(5, by: writer, bench, &random) }
            guard let from = writers.randomElement(using: &random), let to = writers.randomElement(using: &random),
                from.id != to.id
            else { continue }
            try await to.take(bench.spaceId, from: from)
        }
        var lines: [JSONObject] = []
        for writer in writers { lines += try await bench.changeLines(of: writer) }
        let space = try await bench.spaceLine()
        for account in bench.all {
            lines.shuffle(using: &random)
            var rest = lines[...]
            while !rest.isEmpty {
                let batch = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(batch.count)
                _ = try await account.store.importLines([space] + batch)
            }
        }
        let expected = try await view(bench, bench.owner)
        #expect(expected.messages.values.contains { !$0.isEmpty })
        for account in bench.others { #expect(try await view(bench, account) == expected) }
        for account in bench.all { try await checkCounts(of: account, bench) }
        // Nothing waits for a message that is there.
        for account in bench.all {
            let early = try await account.store.read { connection in
                try connection.first(
                    "SELECT (SELECT count(*) FROM early_edit) + (SELECT count(*) FROM early_deletion)"
                ) { $0.integer(0) }
            }
            #expect(early == 0)
        }
    }

    /// The counts of the chats are those of the flags.
    private func checkCounts(of account: TestAccount, _ bench: ChatBench) async throws {
        for chat in try await account.store.chats(of: bench.spaceId) {
            let messages = try await bench.messages(of: account, in: chat.id)
            #expect(chat.unreadCount == messages.count(where: \.isUnread))
            #expect(chat.unreadMentionCount == messages.count(where: \.isUnreadMention))
            #expect(chat.unreadReactionCount == messages.count(where: \.hasUnreadReactions))
            #expect(chat.lastMessageId == messages.last?.id)
        }
    }
}
