import Foundation
import PushCrypto
import SQLiteStorage
import Testing

@testable import AnyServer

@Suite struct ChatHostileTests {
    /// A change as a member makes it whose software is of its own making.
    private func change(
        _ change: ChatChange, counter: UInt64 = 1, by account: TestAccount, _ bench: ChatBench, kind: ChangeKind? = nil
    ) async throws -> SignedChange {
        let content = ChangeContent(
            counter: counter, createdAt: 5, kind: kind ?? change.kind, body: change.marshalled()
        )
        let state = try await account.store.state(of: bench.spaceId)
        return try SignedChange(content, in: bench.spaceId, state, by: account.keys.accountKey)
    }

    private func line(_ change: SignedChange) -> JSONObject {
        ExportLine.change(id: change.id, change: change.bytes).json
    }

    private func take(_ changes: [SignedChange], _ account: TestAccount, _ bench: ChatBench) async throws -> Int {
        try await account.store.importLines([try await bench.spaceLine()] + changes.map(line)).changes
    }

    private func text(_ text: String, _ bench: ChatBench) -> ChatChange {
        .message(MessageBody(chatId: bench.chatId, text: text))
    }

    private func isRefused(
        _ change: SignedChange, _ bench: ChatBench, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: SpaceError.self, sourceLocation: sourceLocation) {
            _ = try await take([change], bench.owner, bench)
        }
        #expect(error?.apiError.code == .spaceBadImport, sourceLocation: sourceLocation)
        #expect(try await bench.texts(of: bench.owner) == [], sourceLocation: sourceLocation)
    }

    @Test func whoMayNotWriteIsRefused() async throws {
        let bench = try await ChatBench(.writer, .reader)
        let (writer, reader) = (bench.others[0], bench.others[1])
        try await isRefused(try await change(text("reader", bench), by: reader, bench), bench)
        let stranger = try SignedChange(
            ChangeContent(counter: 1, createdAt: 0, kind: .message, body: text("stranger", bench).marshalled()),
            in: bench.spaceId, try await bench.owner.store.state(of: bench.spaceId), by: SigningKey()
        )
        try await isRefused(stranger, bench)

        // A removed member knows no key of the time after, but its friends may tell it.
        _ = try await bench.owner.store.removeMember(writer.id, from: bench.spaceId)
        let removed = try SignedChange(
            ChangeContent(counter: 1, createdAt: 0, kind: .message, body: text("removed", bench).marshalled()),
            in: bench.spaceId, try await bench.owner.store.state(of: bench.spaceId), by: writer.keys.accountKey
        )
        try await isRefused(removed, bench)
    }

    @Test func whatBelongsElsewhereIsRefused() async throws {
        let bench = try await ChatBench()
        let other = try await bench.owner.store.createSpace(name: "other").id
        let content = ChangeContent(
            counter: 1, createdAt: 0, kind: .message, body: text("x", bench).marshalled()
        )
        let key = bench.owner.keys.accountKey
        let state = try await bench.owner.store.state(of: other)
        try await isRefused(try SignedChange(content, in: other, state, by: key), bench)
        try await isRefused(try SignedChange(content, in: bench.spaceId, state, by: key), bench)
        // A chat of another space is just a chat that nobody made.
        try await bench.send("here", by: bench.owner)
        let elsewhere = MessageBody(chatId: ChatId.general(of: other), text: "there")
        let lost = try await change(.message(elsewhere), by: bench.owner, bench)
        #expect(try await take([lost], bench.owner, bench) == 1)
        #expect(try await bench.owner.store.chats(of: bench.spaceId).count == 1)
        #expect(try await bench.owner.store.chats(of: other)[0].lastMessageId == nil)
    }

    @Test func aBatchWithOneBadLineBringsNothing() async throws {
        let bench = try await ChatBench(.writer)
        let good = try await change(text("good", bench), by: bench.others[0], bench)
        var damaged = line(try await change(text("bad", bench), by: bench.others[0], bench))
        damaged["change"] = .string(String((damaged.string("change") ?? "").reversed()))
        let lines = [try await bench.spaceLine(), line(good), damaged]
        await #expect(throws: SpaceError.self) { try await bench.owner.store.importLines(lines) }
        #expect(try await bench.texts(of: bench.owner) == [])
        #expect(try await bench.changeLines(of: bench.owner) == [])
    }

    @Test func aReplayChangesNothing() async throws {
        let bench = try await ChatBench(.writer)
        let once = try await change(text("once", bench), by: bench.others[0], bench)
        #expect(try await take([once, once], bench.owner, bench) == 1)
        #expect(try await take([once], bench.owner, bench) == 0)
        #expect(try await bench.texts(of: bench.owner) == ["once"])
        #expect(try await bench.chat(of: bench.owner).unreadCount == 1)
        #expect(try await bench.changeLines(of: bench.owner).count == 1)
    }

    @Test func whatMakesNoSenseIsKeptAndPassedOn() async throws {
        let bench = try await ChatBench(.writer)
        let member = bench.others[0]
        let senseless = [
            try await change(text("x", bench), by: member, bench, kind: ChangeKind(rawValue: 4711)),
            try await change(
                text(String(repeating: "x", count: ChatLimits.textByteCount + 1), bench), by: member, bench
            ),
            try await change(text("", bench), by: member, bench),
            try await change(.createChat(name: ""), by: member, bench),
        ]
        #expect(try await take(senseless, bench.owner, bench) == senseless.count)
        #expect(try await bench.texts(of: bench.owner) == [])
        #expect(try await bench.owner.store.chats(of: bench.spaceId).count == 1)
        #expect(try await bench.changeLines(of: bench.owner) == senseless.map(line))
    }

    @Test func nobodyTouchesAnothersMessage() async throws {
        let bench = try await ChatBench(.writer)
        let member = bench.others[0]
        let id = try await bench.send("mine", by: bench.owner).messageId
        let reference = MessageRef(chatId: bench.chatId, messageId: id)
        let forged = [
            try await change(.edit(reference, text: "forged"), counter: 9, by: member, bench),
            try await change(.delete(reference), counter: 10, by: member, bench),
        ]
        #expect(try await take(forged, bench.owner, bench) == 2)
        #expect(try await bench.texts(of: bench.owner) == ["mine"])
        // The same before the message is there.
        #expect(try await take(forged, member, bench) == 2)
        try await member.take(bench.spaceId, from: bench.owner)
        #expect(try await bench.texts(of: member) == ["mine"])
    }

    @Test func theHighestCounterStopsNobody() async throws {
        let bench = try await ChatBench(.writer)
        let last = try await change(
            text("last", bench), counter: ChangeContent.maximumCounter, by: bench.others[0], bench
        )
        #expect(try await take([last], bench.owner, bench) == 1)
        let id = try await bench.send("and on", by: bench.owner).messageId
        _ = try await bench.owner.store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId)
        try await bench.others[0].take(bench.spaceId, from: bench.owner)
        #expect(try await Set(bench.texts(of: bench.owner)) == ["last", "and on"])
        #expect(try await bench.texts(of: bench.others[0]) == bench.texts(of: bench.owner))
    }

    @Test func aFloodOfReactionsIsShownInPart() async throws {
        let bench = try await ChatBench(.writer)
        let id = try await bench.send("x", by: bench.owner).messageId
        let reference = MessageRef(chatId: bench.chatId, messageId: id)
        var flood: [SignedChange] = []
        for number in 0..<ChatLimits.shownReactions + 50 {
            flood.append(
                try await change(
                    .reaction(reference, emoji: "\(number)", isOn: true), counter: 2 + UInt64(number),
                    by: bench.others[0], bench
                )
            )
        }
        #expect(try await take(flood, bench.owner, bench) == flood.count)
        let message = try #require(try await bench.messages(of: bench.owner).first)
        #expect(message.reactions.count == ChatLimits.shownReactions)
        #expect(message.reactions.first?.emoji == "0")
    }

    @Test func anExportHoldsNoPlaintext() async throws {
        let bench = try await ChatBench()
        try await bench.send("a very secret sentence", by: bench.owner)
        _ = try await bench.owner.store.createChat(name: "a very secret sentence", in: bench.spaceId)
        for line in try await bench.owner.export(bench.spaceId) {
            let bytes = line.string("change").flatMap { Data(base64Encoded: $0) } ?? Data()
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
        }
    }

    @Test func aDeletedSpaceLeavesNothingOfItsChats() async throws {
        let bench = try await ChatBench()
        let store = bench.owner.store
        let id = try await bench.send("gone \(SigningKey().publicKey)", by: bench.owner).messageId
        _ = try await store.toggleReaction("👍", on: id, in: bench.chatId, of: bench.spaceId)
        try await store.deleteSpace(bench.spaceId)
        let rows = try await store.read { connection in
            try connection.first(
                """
                SELECT (SELECT count(*) FROM chat) + (SELECT count(*) FROM chat_change)
                    + (SELECT count(*) FROM message) + (SELECT count(*) FROM mention) + (SELECT count(*) FROM reaction)
                """
            ) { $0.integer(0) }
        }
        #expect(rows == 0)
        await #expect(throws: SpaceError.deleted) { try await store.chats(of: bench.spaceId) }
        await #expect(throws: SpaceError.deleted) { try await bench.send("x", by: bench.owner) }
        await #expect(throws: SpaceError.deleted) { try await store.markAllRead(in: bench.chatId, of: bench.spaceId) }
    }
}

extension AccountStore {
    /// A space's ACL as the account sees it.
    func state(of spaceId: String) throws -> ACLState {
        try read { try log(of: try stored(spaceId, $0), $0).state }
    }

    /// Sends many messages in one transaction.
    func fill(_ chatId: String, of spaceId: String, with count: Int) throws {
        try write { connection in
            for number in 0..<count {
                let body = MessageBody(chatId: chatId, text: "message \(number)")
                _ = try makeChange(.message(body), in: spaceId, connection)
            }
        }
    }
}
