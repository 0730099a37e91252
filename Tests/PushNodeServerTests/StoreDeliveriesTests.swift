import ProtoWire
import PushAPI
import PushNode
import Testing

@testable import PushNodeServer

@Suite struct StoreDeliveriesTests {
    private let test: TestStore
    private let space = TestSpace()
    private let member = Member()
    private let now = TestStore.now

    init() async throws {
        test = try await TestStore()
        try await test.add(member, token: "phone", to: [space.key("chats")])
    }

    @Test func aDeliveryIsTriedAgainWhenItIsDueAndNotBefore() async throws {
        let delivery = try await delivery()
        try await record(delivery, .retry(at: now.advanced(by: .seconds(10))))
        #expect(try await test.store.nextDue(in: .ios) == now.advanced(by: .seconds(10)))
        #expect(try await test.store.nextDue(in: .android) == nil)
        #expect(try await due(after: .seconds(9)).deliveries.isEmpty)
        let due = try await due(after: .seconds(10))
        let again = try #require(due.deliveries.first)
        #expect(again.delivery.id == delivery.id && again.delivery.attempts == 1)
        #expect(again.delivery.token == "phone" && again.content.message?.payload == [1, 2, 3])
        // While it is tried it is nobody else's to try.
        #expect(try await self.due(after: .seconds(99)).deliveries.isEmpty)
        #expect(try await test.store.nextDue(in: .ios) == nil)
        try await record(again.delivery, .done)
        #expect(try await test.store.statistics().notifications == 0)
    }

    @Test func aFurtherTryGoesToTheTokenOfThatDay() async throws {
        try await record(delivery(), .retry(at: now))
        try await test.add(member, token: "renewed", to: [space.key("chats")])
        #expect(try await due().deliveries.map { $0.delivery.token.string } == ["renewed"])
    }

    @Test func aRevokedDeviceGetsNoFurtherTry() async throws {
        try await record(delivery(), .retry(at: now))
        try await test.store.revokeToken(of: member.caller)
        let due = try await due()
        #expect(due.deliveries.isEmpty && due.withoutDevice == 1 && due.expired == 0)
        #expect(try await test.store.statistics().notifications == 0)
    }

    @Test func aDeviceThatMovedToAnotherPlatformGetsNoFurtherTryInTheOld() async throws {
        try await record(delivery(), .retry(at: now))
        try await test.add(member, token: "phone", platform: .android, to: [space.key("chats")])
        #expect(try await due().withoutDevice == 1)
    }

    @Test func anExpiredDeliveryGetsNoFurtherTry() async throws {
        try await record(delivery(), .retry(at: now))
        let due = try await due(after: .seconds(3600))
        #expect(due.deliveries.isEmpty && due.expired == 1 && due.withoutDevice == 0)
        #expect(try await test.store.statistics().notifications == 0)
    }

    @Test func aTokenThatIsGoneGoesFromEveryAccountOnThePhone() async throws {
        try await test.add(Member(), token: "phone", to: [])
        try await test.add(Member(), token: "phone", platform: .android, to: [])
        try await record(delivery(), .tokenGone(since: now))
        #expect(try await test.store.statistics().devices == 1)
        #expect(try await test.store.statistics().accounts == 2)
    }

    @Test func aTokenThatWasSetAgainSinceStays() async throws {
        let delivery = try await delivery()
        let later = now.advanced(by: .milliseconds(1))
        _ = try await test.store.setToken(
            "phone", platform: .ios, of: member.caller, at: later, limit: 1, accountLimit: 100)
        try await record(delivery, .tokenGone(since: now))
        #expect(try await test.store.statistics().devices == 1)
        #expect(try await test.store.statistics().notifications == 0)
    }

    @Test func nothingButAGoneTokenDropsOne() async throws {
        for verdict in [DeliveryResult.Verdict.done, .retry(at: now)] {
            try await record(delivery(), verdict)
            #expect(try await test.store.statistics().devices == 1)
        }
    }

    @Test func someAreTakenAtATimeTheLongestDueFirst() async throws {
        var ids: [Int64] = []
        for number in 0..<5 {
            let delivery = try await delivery()
            ids.append(delivery.id)
            try await record(delivery, .retry(at: now.advanced(by: .seconds(-number))))
        }
        #expect(try await due(limit: 2).deliveries.map(\.delivery.id) == [ids[4], ids[3]])
        #expect(try await due(limit: 9).deliveries.map(\.delivery.id) == [ids[2], ids[1], ids[0]])
    }

    private func delivery() async throws -> Delivery {
        let queued = try await test.accept(test.notification([space.key("chats")], payload: [1, 2, 3]))
        _ = try await test.tokens(of: queued, in: .android)
        return try #require(try await TestStore.matchAll(test.store, queued).first)
    }

    private func record(_ delivery: Delivery, _ verdict: DeliveryResult.Verdict) async throws {
        try await test.store.record([DeliveryResult(delivery: delivery, verdict: verdict)])
    }

    private func due(after duration: Duration = .zero, limit: Int = 10) async throws -> DueDeliveries {
        try await test.store.takeDue(in: .ios, limit: limit, now: now.advanced(by: duration))
    }
}
