import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import TestSupport
import Testing

@testable import AnyServer

/// Notifications in an account's store, written with what they tell of.
@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    @Test func aMessageWaitsSealedAndSignedForTheNode() async throws {
        let bench = try await OutboxBench()
        try await bench.current.setProfileName("Ada")
        let id = try await bench.send("a secret")
        let waiting = try #require(try await bench.waiting().first)
        #expect(waiting.attempts == 0 && waiting.age == .zero && waiting.notification.kind == .normal)
        let message = try #require(waiting.notification.request.message)
        #expect(bench.account.identity.isValidSignature(message.signature, for: message.payload))
        let payload = try ChatPayload(json: try await bench.payload(of: waiting))
        #expect(payload.newMessage.msgId.string == id && payload.newMessage.text == "a secret")
        #expect(payload.newMessage.spaceName == "Garden" && payload.newMessage.senderName == "Ada")
        #expect(waiting.notification.request.groupId.string == GroupId(chatId: bench.chatId).text)
        let keys = try await bench.keys()
        for topic in waiting.notification.request.topics?.topics ?? [] {
            #expect(keys.spaceKey.publicKey.isValidSignature(topic.signature, for: Array(topic.topic.bytes)))
        }
        let row = try await bench.current.read { try $0.first("SELECT request FROM outbox") { $0.bytes(0) } }
        #expect(!String(decoding: row ?? [], as: UTF8.self).contains("secret"))
        #expect(bench.outcomes() == [.kept])
        // The next process sends the same bytes.
        try await bench.reopen()
        #expect(try await bench.waiting() == [waiting])
    }

    @Test func ownWritesNotifyThoseWhomTheyConcernOnce() async throws {
        let chat = try await ChatBench(.writer)
        let other = chat.others[0]
        let bench = try await OutboxBench(chat.owner, in: chat.spaceId)
        let store = bench.current
        let id = try await bench.send("hi \(chat.mention(other))")
        #expect(try await bench.take() == ["sent [\(other.id)]"])
        _ = try await store.editMessage(id, text: "hi", in: chat.chatId, of: chat.spaceId)
        #expect(try await bench.take() == [])
        _ = try await store.editMessage(
            id, text: "hi again \(chat.mention(other))", in: chat.chatId, of: chat.spaceId)
        #expect(try await bench.take() == ["edited [\(other.id)]"])
        _ = try await store.toggleReaction("👍", on: id, in: chat.chatId, of: chat.spaceId)
        _ = try await store.deleteMessage(id, in: chat.chatId, of: chat.spaceId)
        let answered = try await chat.send("question", by: other).messageId
        _ = try await store.importLines(try await other.export(chat.spaceId))
        #expect(try await bench.take() == [])
        let answer = try ChatDraft(text: "answer", replyTo: answered)
        _ = try await store.sendMessage(answer, to: chat.chatId, in: chat.spaceId)
        #expect(try await bench.take() == ["sent [\(other.id)]"])
        #expect(bench.outcomes() == [.kept, .nobodyNew, .kept, .kept])
        try await store.markRead(upTo: answered, in: chat.chatId, of: chat.spaceId)
        try await store.markAllRead(in: chat.chatId, of: chat.spaceId)
        try await store.markReactionsRead(on: answered, in: chat.chatId, of: chat.spaceId)
        #expect(try await bench.take() == ["read"], "those of a chat are one")
    }

    @Test func aReadingWaitsItsTimeAlsoOverARestart() async throws {
        let bench = try await OutboxBench()
        let id = try await bench.send("one")
        _ = try await bench.take()
        try await bench.current.markRead(upTo: id, in: bench.chatId, of: bench.spaceId)
        #expect(try await bench.page().next == .seconds(3))
        bench.pass(.milliseconds(2_999))
        try await bench.reopen()
        #expect(try await bench.page().next == .milliseconds(1))
        bench.pass(.milliseconds(1))
        let page = try await bench.page()
        let notice = try #require(page.waiting.last)
        #expect(notice.notification.kind == .silent && page.next == nil)
        let payload = try ReadPayload(json: try await bench.payload(of: notice))
        #expect(payload.lastMessageId.string == id)
        // A machine that began anew is not waited for.
        try await bench.current.markAllRead(in: bench.chatId, of: bench.spaceId)
        bench.reboot("second", uptime: .seconds(1))
        #expect(try await bench.page().waiting.count == page.waiting.count + 1)
        try await bench.current.markAllRead(in: bench.chatId, of: bench.spaceId)
        try await bench.current.deleteSpace(bench.spaceId)
        #expect(try await bench.page(isHurried: true).next == nil, "a deleted space is not told of")
    }

    @Test func triesAreCountedOverRestarts() async throws {
        let bench = try await OutboxBench()
        try await bench.send("one")
        try await bench.send("two")
        let ids = try await bench.waiting().map(\.id)
        _ = try await bench.waiting([OutboxOutcome(id: ids[0], .tried(attempts: 4)), OutboxOutcome(id: ids[1], .sent)])
        try await bench.reopen()
        bench.pass(.seconds(3))
        let left = try await bench.waiting()
        #expect(left.map(\.id) == [ids[0]] && left.map(\.attempts) == [4] && left.map(\.sinceTry) == [.seconds(3)])
        // An id is never used twice, or what is new would pass for what is known.
        _ = try await bench.waiting([OutboxOutcome(id: ids[0], .sent)])
        try await bench.send("three")
        #expect(try #require(try await bench.waiting().first).id > ids[1])
    }

    /// The age is what really passed, as far as that can be known: the calendar has no say.
    @Test func theAgeIsTimeThatPassed() async throws {
        let bench = try await OutboxBench()
        try await bench.send("one")
        bench.pass(.seconds(40))
        #expect(try await bench.waiting().map(\.age) == [.seconds(40)])
        try await bench.reopen()
        bench.pass(.seconds(20))
        let id = try #require(try await bench.waiting().first?.id)
        #expect(try await bench.waiting([OutboxOutcome(id: id, .tried(attempts: 1))]).map(\.age) == [.seconds(60)])
        // What passed while the machine was off is not known; what was known before stays.
        bench.reboot("second", uptime: .seconds(5))
        try await bench.reopen()
        #expect(try await bench.waiting().map(\.age) == [.seconds(60)])
        bench.pass(.seconds(1))
        try await bench.reopen()
        #expect(try await bench.waiting().map(\.age) == [.seconds(61)])
    }

    @Test func lossesAreRememberedForADay() async throws {
        let bench = try await OutboxBench()
        for text in ["one", "two"] { try await bench.send(text) }
        let outcomes = try await bench.waiting().map { OutboxOutcome(id: $0.id, .givenUp(reason: "the node is away")) }
        for _ in 0..<2 { _ = try await bench.page(outcomes) }
        #expect(try await bench.waiting() == [])
        bench.pass(.seconds(3600))
        try await bench.reopen()
        let losses = NotificationLosses(count: 2, lastReason: "the node is away", sinceLast: .seconds(3600))
        #expect(try await bench.page().losses == losses)
        bench.pass(.seconds(23 * 3600))
        #expect(try await bench.page().losses == nil)
        try await bench.send("three")
        let third = try await bench.waiting().map { OutboxOutcome(id: $0.id, .givenUp(reason: "again")) }
        #expect(try await bench.page(third).losses?.count == 1, "not those of days ago")
    }

    @Test func whatTheOutboxHasNoRoomForIsSaidAndTheMessageStays() async throws {
        let bench = try await OutboxBench { $0.capacity = 2 }
        for text in ["one", "two", "three"] { try await bench.send(text) }
        #expect(bench.outcomes() == [.kept, .kept, .dropped])
        #expect(try await bench.page().losses?.count == 1)
        #expect(try await bench.waiting().count == 2)
        let query = MessageQuery(isDescending: false, limit: 10)
        #expect(try await bench.current.messages(query, in: bench.chatId, of: bench.spaceId).messages.count == 3)
        // Room is made by what was sent or given up.
        let ids = try await bench.waiting().map(\.id)
        _ = try await bench.waiting([
            OutboxOutcome(id: ids[0], .sent), OutboxOutcome(id: ids[1], .givenUp(reason: "enough")),
        ])
        for text in ["four", "five", "six"] { try await bench.send(text) }
        #expect(bench.outcomes() == [.kept, .kept, .dropped])
        let small = try await OutboxBench { $0.byteCapacity = 1000 }
        try await small.send("one")
        #expect(small.outcomes() == [.dropped])
    }

    /// Both are written or neither is, wherever the disk fills up.
    @Test func aFullDiskTakesNeitherTheMessageNorItsNotification() async throws {
        let bench = try await OutboxBench()
        try await bench.reopen(maximumPages: 120)
        var sent = 0
        await #expect(throws: StoreError.full(path: bench.account.path)) {
            while true {
                try await bench.send(String(repeating: "long ", count: 100))
                sent += 1
            }
        }
        #expect(sent > 0)
        try await bench.reopen()
        #expect(try await bench.waiting().count == sent)
        let query = MessageQuery(isDescending: false, limit: 1000)
        #expect(try await bench.current.messages(query, in: bench.chatId, of: bench.spaceId).messages.count == sent)
    }

    @Test func whoIsNoMemberAnyMoreTellsNobody() async throws {
        let chat = try await ChatBench(.writer)
        let member = chat.others[0]
        try await chat.owner.store.removeMember(member.id, from: chat.spaceId)
        try await member.take(chat.spaceId, from: chat.owner)
        let bench = try await OutboxBench(member, in: chat.spaceId)
        // Its row may be gone by then, and its readings with it.
        try? await bench.current.markAllRead(in: chat.chatId, of: chat.spaceId)
        #expect(try await bench.waiting(isHurried: true) == [])
        #expect(bench.outcomes().allSatisfy { $0 == .failed(.noKeys) })
    }

    @Test func aNewReadKeySealsWhatComesThen() async throws {
        let bench = try await OutboxBench()
        try await bench.send("one")
        try await bench.current.rotateReadKey(of: bench.spaceId)
        try await bench.send("two")
        let keyIds = try await bench.waiting().map { $0.notification.request.message?.keyId.string }
        #expect(keyIds[0] != keyIds[1])
        #expect(keyIds[1] == (try await bench.keys().encryptionKeyId))
    }

    @Test func withoutPushNothingWaits() async throws {
        let bench = try await OutboxBench()
        try await bench.reopen(isOn: false)
        let id = try await bench.send("one")
        try await bench.current.markRead(upTo: id, in: bench.chatId, of: bench.spaceId)
        try await bench.reopen()
        #expect(try await bench.page(isHurried: true) == OutboxPage())
        #expect(bench.outcomes() == [])
    }

    @Test func aRowThatCannotBeReadCostsNoOther() async throws {
        let bench = try await OutboxBench()
        for text in ["one", "two", "three"] { try await bench.send(text) }
        try await bench.current.write { connection in
            try connection.execute("UPDATE outbox SET request = x'ff' WHERE id = (SELECT min(id) FROM outbox)")
            try connection.execute("UPDATE outbox SET kind = 7 WHERE id = (SELECT max(id) FROM outbox)")
        }
        #expect(try await bench.waiting().count == 1)
        #expect(try await bench.page().losses?.count == 2)
        #expect(try await bench.waiting().count == 1)
    }
}
