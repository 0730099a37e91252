import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// The same signed message again, from a caller that had no answer.
@Suite struct RepeatTests {
    private let space = TestSpace()
    private let sender = Member()

    private func service(_ limits: ServiceLimits = ServiceLimits()) async throws -> TestService {
        let service = try await TestService(limits: limits)
        let reader = Member()
        try await service.call(.setToken, SetTokenRequest(platform: .ios, token: "phone"), as: reader)
        try await service.call(.subscribeAll, TopicsMessage(topics: space.topics("chats", "chats/a")), as: reader)
        try await service.call(.setToken, SetTokenRequest(platform: .ios, token: "own"), as: sender)
        try await service.call(.subscribeAll, TopicsMessage(topics: space.topics(sender.address)), as: sender)
        return service
    }

    private func request(
        _ payload: [UInt8] = [1, 2, 3], _ topics: Topics? = nil, as sender: Member? = nil
    ) -> NotifyRequest {
        let message = (sender ?? self.sender).message(payload)
        return NotifyRequest(topics: topics ?? space.topics("chats"), message: message, groupId: "group")
    }

    @Test func itIsAnsweredAndBroughtOnce() async throws {
        let service = try await service()
        for _ in 0..<5 { #expect(try await service.call(.notify, request(), as: sender) == []) }
        #expect(service.queued.count == 1)
        #expect(service.service.status.accepted == 1 && service.service.status.repeated == 4)
        #expect(try await service.tokens() == ["phone"])
        // Also when it is done and forgotten, and from another device of the account.
        let deliveries = try await TestStore.matchAll(service.test.store, try #require(service.queued.first))
        try await service.test.store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        try await service.call(.notify, request(), as: sender.onAnotherDevice())
        #expect(service.queued.count == 1)
    }

    @Test func callsAtTheSameTimeAreOne() async throws {
        let service = try await service()
        let request = request()
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { [sender] in _ = try? await service.call(.notify, request, as: sender) } }
        }
        #expect(service.queued.count == 1)
        #expect(service.service.status.repeated == 49)
    }

    @Test func whatDiffersInAnythingIsAnother() async throws {
        let service = try await service()
        let other = Member()
        try await service.call(.notify, request(), as: sender)
        try await service.call(.notify, request([1, 2, 4]), as: sender)
        try await service.call(.notify, request([1, 2, 3], space.topics("chats", "chats/a")), as: sender)
        try await service.call(.notify, request(as: other), as: other)
        var grouped = request()
        grouped.groupId = "another"
        try await service.call(.notify, grouped, as: sender)
        var keyed = request()
        keyed.message?.keyId = "another"
        try await service.call(.notify, keyed, as: sender)
        #expect(service.queued.count == 6 && service.service.status.repeated == 0)
        // The order of topics is none, and neither is one that is there twice.
        let reordered = space.topics("chats/a", "chats", "chats/a")
        try await service.call(.notify, request([1, 2, 3], reordered), as: sender)
        #expect(service.queued.count == 6 && service.service.status.repeated == 1)
    }

    @Test func aReadNoticeIsMeantEachTime() async throws {
        let service = try await service()
        let silent = NotifyRequest(topics: space.topics(sender.address), message: nil, groupId: "group")
        for _ in 0..<3 { try await service.call(.notifySilent, silent, as: sender) }
        #expect(service.queued.count == 3)
        let sealed = request([9], space.topics(sender.address))
        for _ in 0..<3 { try await service.call(.notifySilent, sealed, as: sender) }
        #expect(service.queued.count == 4)
    }

    @Test func whatWasRefusedIsTakenTheNextTime() async throws {
        var limits = ServiceLimits()
        limits.queuedNotifications = 1
        let service = try await service(limits)
        try await service.call(.notify, request([1]), as: sender)
        #expect(await service.refusal(.notify, request([2]), as: sender)?.reason == .queueFull)
        // One that is in the full queue is answered.
        try await service.call(.notify, request([1]), as: sender)
        let first = try #require(service.queued.first)
        let deliveries = try await TestStore.matchAll(service.test.store, first)
        try await service.test.store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        #expect(try await service.test.tokens(of: first, in: .android) == [])
        try await service.call(.notify, request([2]), as: sender)
        #expect(service.queued.count == 2)
    }

    @Test func whatReachedNobodyMayReachSomebodyLater() async throws {
        let service = try await service()
        let topics = space.topics("chats/later")
        try await service.call(.notify, request([1], topics), as: sender)
        let reader = Member()
        try await service.call(.subscribeAll, TopicsMessage(topics: topics), as: reader)
        try await service.call(.notify, request([1], topics), as: sender)
        #expect(service.queued.count == 1)
    }

    @Test func itIsKnownForItsLifetimeAndAcrossRestarts() async throws {
        let test = try await TestStore()
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        func notification(after seconds: Int64) -> IncomingNotification {
            var notification = test.notification([space.key("chats")], from: sender, payload: [1])
            notification.acceptedAt = TestStore.now.advanced(by: .seconds(seconds))
            notification.expiresAt = notification.acceptedAt.advanced(by: .seconds(3600))
            return notification
        }
        _ = try await test.accept(notification(after: 0))
        let again = try await test.afterCrash()
        #expect(try await again.accept(notification(after: 3599), limits: .places(10)) == .repeated)
        guard case .queued = try await again.accept(notification(after: 3600), limits: .places(10)) else {
            Issue.record("what is over was taken for the same")
            return
        }
        #expect(try await again.accept(notification(after: 3601), limits: .places(10)) == .repeated)
    }

    @Test func whatIsRememberedIsBoundedAndTheOldestGoesFirst() async throws {
        let test = try await TestStore()
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        let limits = QueueLimits(places: 1000, shareDivisor: 1, repeats: RepeatLimits(perSender: 3, total: 5))
        func send(_ payload: UInt8, as sender: Member) async throws -> Bool {
            let notification = test.notification([space.key("chats")], from: sender, payload: [payload])
            return try await test.store.accept(notification, limits: limits) == .repeated
        }
        func count() async throws -> Int64? {
            try await test.store.read { connection throws(SQLiteError) in
                try connection.first("SELECT count(*) FROM accepted") { $0.integer(0) }
            }
        }
        for payload: UInt8 in 0..<10 { #expect(try await !send(payload, as: sender)) }
        #expect(try await count() == 3)
        for payload: UInt8 in 7..<10 { #expect(try await send(payload, as: sender)) }
        #expect(try await !send(6, as: sender))
        for _ in 0..<20 { #expect(try await !send(1, as: Member())) }
        #expect(try await count() == 5)
        // What expired goes a few with each new one.
        let later = TestStore.now.advanced(by: .seconds(7200))
        for payload: UInt8 in 0..<4 {
            var notification = test.notification([space.key("chats")], from: sender, payload: [100 + payload])
            (notification.acceptedAt, notification.expiresAt) = (later, later.advanced(by: .seconds(60)))
            _ = try await test.store.accept(notification, limits: limits)
        }
        #expect(try await count() == 3)
    }
}
