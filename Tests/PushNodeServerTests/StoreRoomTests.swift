import AnySyncWire
import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// A store that has the size it may have.
@Suite struct StoreRoomTests {
    private let space = TestSpace()
    private let test: TestStore

    init() async throws {
        test = try await TestStore()
    }

    private func open(_ limits: StoreLimits) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            path: test.directory.file("small.db"), limits: limits, lanes: [.ios, .android], now: TestStore.now)
    }

    @Test func itTakesNothingNewAndGoesOnWithWhatItHas() async throws {
        let store = try await open(.bytes(400 * 1024))
        let full = StoreError.full(path: test.directory.file("small.db"))
        let reader = Member()
        let chats = space.key("chats")
        #expect(
            try await store.setToken(
                "phone", platform: .ios, of: reader.caller, at: TestStore.now, limit: 9, accountLimit: 9)
                == .registered)
        try await store.replaceTopics(of: reader.identity, by: [chats])
        func notification() -> IncomingNotification {
            var notification = test.notification(
                [chats], payload: [UInt8](repeating: 7, count: 2000) + TestStore.payloads.next())
            notification.lanes = [.ios]
            return notification
        }
        var queued: [QueuedNotification] = []
        let first = notification()
        await #expect(throws: full) {
            while true {
                let next = queued.isEmpty ? first : notification()
                if case .queued(let number) = try await store.accept(next, limits: .places(100_000)) {
                    queued.append(number)
                }
            }
        }
        #expect(queued.count > 20)
        // What would make it larger is refused, what is there already is answered, and what takes away is done.
        await #expect(throws: full) {
            _ = try await store.setToken(
                "new", platform: .ios, of: Member().caller, at: TestStore.now, limit: 9, accountLimit: 9)
        }
        await #expect(throws: full) {
            _ = try await store.createSpace(
                space.bytes, author: reader.identity, at: UnixTime(milliseconds: 0), limit: 9)
        }
        await #expect(throws: full) { try await store.replaceTopics(of: Member().identity, by: [chats]) }
        #expect(try await store.accept(first, limits: .places(100_000)) == .repeated)
        try await store.replaceTopics(of: reader.identity, by: [chats])
        // Everything is matched, tried again and brought.
        var tried: [Delivery] = []
        for notification in queued { tried += try await TestStore.matchAll(store, notification) }
        #expect(tried.count == queued.count)
        let due = TestStore.now.advanced(by: .seconds(10))
        try await store.record(tried.map { DeliveryResult(delivery: $0, verdict: .retry(at: due)) })
        var brought = 0
        while brought < queued.count {
            let taken = try await store.takeDue(in: .ios, limit: 16, now: due)
            try #require(!taken.deliveries.isEmpty)
            brought += taken.deliveries.count
            try await store.record(taken.deliveries.map { DeliveryResult(delivery: $0.delivery, verdict: .done) })
        }
        guard case .queued = try await store.accept(notification(), limits: .places(100_000)) else {
            Issue.record("there is room again, and nothing is taken")
            return
        }
    }

    @Test func aDiskThatIsNearlyFullIsLeftSomeRoom() async throws {
        var limits = StoreLimits()
        limits.freeDiskBytes = .max
        let store = try await open(limits)
        await #expect(throws: StoreError.full(path: test.directory.file("small.db"))) {
            try await store.replaceTopics(of: Member().identity, by: [space.key("chats")])
        }
    }

    @Test func theCallerLearnsThatItIsFull() async throws {
        let service = try await TestService(store: .bytes(4096))
        let member = Member()
        let request = SetTokenRequest(platform: .ios, token: "t")
        let refusal = await service.refusal(.setToken, request, as: member)
        #expect(refusal?.reason == .storeFull && refusal?.rpcError.code == 1200)
        #expect(service.service.status.refused == [.storeFull: 1])
    }
}
