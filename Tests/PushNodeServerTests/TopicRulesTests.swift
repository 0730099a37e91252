import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import TestSupport
import Testing

@testable import PushNodeServer

/// Which topics an account may have, and how often it may change them.
@Suite struct TopicRulesTests {
    private let space = TestSpace()
    private let member = Member()

    private func subscribe(_ names: [WireString], _ service: TestService) async -> RefusalReason? {
        do throws(Refusal) {
            try await service.call(.subscribeAll, TopicsMessage(topics: Topics(names.map(space.topic))), as: member)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func topicsOfOtherAccountsAreLeftOut() async throws {
        let service = try await TestService()
        let other = SigningKey().publicKey
        let group = GroupId(chatId: "chat")
        let own = TopicName.newMessage(in: group, mentions: [member.identity])
        let foreign = [TopicName.identity(other), TopicName.mention(of: other, in: group)]
        #expect(await subscribe(own + foreign, service) == nil)
        #expect(try await service.topics(of: member).map(\.topic) == own)
        #expect(service.service.status.foreignTopics == 2)
        // Nothing of what the other is mentioned in comes to this account.
        try await service.call(.setToken, SetTokenRequest(platform: .ios, token: "phone"), as: member)
        let sender = Member()
        let mention = NotifyRequest(topics: Topics(foreign.map(space.topic)), message: sender.message([1]), groupId: "")
        try await service.call(.notify, mention, as: sender)
        #expect(service.queued.isEmpty)
    }

    @Test func whatOnlyLooksLikeAnAccountStays() async throws {
        let service = try await TestService()
        let address = SigningKey().publicKey.accountAddress
        let names: [WireString] = ["A", "Alice", "chats/A", WireString(address + "x"), WireString(address + "/x")]
        #expect(await subscribe(names, service) == nil)
        #expect(try await service.topics(of: member).map(\.topic) == names)
    }

    @Test func topicsAreBoundedByBytesToo() async throws {
        var limits = ServiceLimits()
        limits.topicBytesPerAccount = 200
        let service = try await TestService(limits: limits)
        // Each topic counts its space key of 32 bytes too.
        let name = WireString(String(repeating: "x", count: 67))
        #expect(await subscribe([name, WireString(String(repeating: "y", count: 70))], service) == .limitExceeded)
        #expect(await subscribe([name, WireString(String(repeating: "y", count: 69))], service) == nil)
        #expect(await subscribe([name, "y"], service) == nil)
    }

    @Test func changesOfTopicsAreRatedAndRepeatsAreNone() async throws {
        var limits = ServiceLimits()
        limits.rates.topicChanges = CallRate(perSecond: 2, burst: 20)
        let service = try await TestService(limits: limits)
        func names(_ range: Range<Int>) -> [WireString] { range.map { WireString("topic-\($0)") } }
        #expect(await subscribe(names(0..<10), service) == nil)
        for _ in 0..<20 { #expect(await subscribe(names(0..<10), service) == nil) }
        // Ten go and ten come: more than is left.
        #expect(await subscribe(names(10..<20), service) == .rateLimited)
        #expect(try await service.topics(of: member).map(\.topic) == names(0..<10))
        #expect(await subscribe(names(0..<20), service) == nil)
        let unsubscribe = TopicsMessage(topics: Topics(names(0..<1).map(space.topic)))
        #expect(await service.refusal(.unsubscribe, unsubscribe, as: member)?.reason == .rateLimited)
        service.clock.clock.advance(by: .seconds(1))
        try await service.call(.unsubscribe, unsubscribe, as: member)
        #expect(await subscribe([], service) == .rateLimited)
        service.clock.clock.advance(by: .seconds(10))
        #expect(await subscribe([], service) == nil)
        #expect(try await service.topics(of: member).isEmpty)
    }

    @Test func callsAtTheSameTimeAreNotGrantedTheSameChange() async throws {
        var limits = ServiceLimits()
        limits.rates.topicChanges = CallRate(perSecond: 1, burst: 10)
        let service = try await TestService(limits: limits)
        let outcomes = await withTaskGroup(of: RefusalReason?.self) { group in
            for call in 0..<8 {
                group.addTask { await subscribe((0..<10).map { WireString("\(call)-\($0)") }, service) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
    }

    @Test func aTopicInFrontOfAllOthersIsNotAChangeOfAllOfThem() async throws {
        var limits = ServiceLimits()
        limits.rates.topicChanges = CallRate(perSecond: 1, burst: 400)
        let service = try await TestService(limits: limits)
        let names = (0..<320).map { WireString("topic-\($0)") }
        #expect(await subscribe(names, service) == nil)
        #expect(await subscribe(["first"] + names, service) == nil)
        #expect(try await service.topics(of: member).map(\.topic) == ["first"] + names)
    }

    @Test func whatEarlierVersionsLetInIsTakenAway() async throws {
        let test = try await TestStore()
        let other = Member()
        let foreign = [space.key(other.address), space.key(WireString("chats/a/\(other.address.string)"))]
        try await test.store.replaceTopics(
            of: member.identity, by: [space.key("chats"), space.key(member.address)] + foreign)
        try await test.store.replaceTopics(of: other.identity, by: foreign)
        _ = try await test.store.change { connection throws(SQLiteError) in
            try connection.run("INSERT INTO chore (name) VALUES ('foreign_topics')")
        }
        let again = try await test.afterCrash()
        #expect(try await again.topics(of: member.identity) == [space.key("chats"), space.key(member.address)])
        #expect(try await again.topics(of: other.identity) == foreign)
        let chores = try await again.read { connection throws(SQLiteError) in
            try connection.first("SELECT count(*) FROM chore") { $0.integer(0) }
        }
        #expect(chores == 0)
    }
}
