import ProtoWire
import PushAPI
import PushNode
import Testing

@testable import PushNodeServer

/// What a node that starts after a crash finds, for a crash at each step of a notification's life: the store's files are
/// copied as they are, while the node that wrote them still has them open.
@Suite struct CrashTests {
    private let test: TestStore
    private let space = TestSpace()

    init() async throws {
        test = try await TestStore()
        for number in 0..<5 { try await test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        try await test.add(Member(), token: "t1", to: [space.key("chats")])
    }

    @Test func acceptedAndNotMatched() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        let store = try await test.afterCrash()
        #expect(try await store.waiting(in: .ios) == [queued])
        #expect(try await remaining(store) == ["t0", "t1", "t2", "t3", "t4"])
    }

    @Test func matchedInPartAndNotDelivered() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        let first = try await test.store.match(queued.id, in: .ios, limit: 2, now: TestStore.now)
        #expect(first.deliveries.count == 2)
        let store = try await test.afterCrash()
        #expect(try await remaining(store) == ["t0", "t1", "t2", "t3", "t4"])
    }

    @Test func deliveredInPartAndRecorded() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        let first = try await test.store.match(queued.id, in: .ios, limit: 2, now: TestStore.now)
        try await test.store.record(first.deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        // t1 is also another account's, further back: it has had the notification, and this is known after the crash.
        let store = try await test.afterCrash()
        #expect(try await remaining(store) == ["t2", "t3", "t4"])
    }

    @Test func deliveredToAllAndNotRecorded() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.tokens(of: queued) == ["t0", "t1", "t2", "t3", "t4"])
        // The one case in which devices get it twice.
        let store = try await test.afterCrash()
        #expect(try await remaining(store) == ["t0", "t1", "t2", "t3", "t4"])
    }

    @Test func waitingForAFurtherTry() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        let deliveries = try await TestStore.matchAll(test.store, queued)
        let due = TestStore.now.advanced(by: .seconds(60))
        try await test.store.record(
            deliveries.map { delivery in
                DeliveryResult(delivery: delivery, verdict: delivery.token == "t3" ? .retry(at: due) : .done)
            }
        )
        let store = try await test.afterCrash()
        #expect(try await store.nextDue(in: .ios) == due)
        #expect(try await remaining(store) == [])
        #expect(try await remaining(store, now: due) == ["t3"])
    }

    @Test func done() async throws {
        let queued = try await test.accept(test.notification([space.key("chats")]))
        let deliveries = try await TestStore.matchAll(test.store, queued)
        #expect(try await test.tokens(of: queued, in: .android) == [])
        try await test.store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        let store = try await test.afterCrash()
        #expect(try await store.statistics().notifications == 0)
        #expect(try await remaining(store) == [])
    }

    @Test func crashesAtEveryStepInTurnLoseNothing() async throws {
        var expected: [String: Int] = [:]
        for _ in 0..<3 {
            _ = try await test.accept(test.notification([space.key("chats")]))
            for number in 0..<5 { expected["t\(number)", default: 0] += 1 }
        }
        var delivered: [String: Int] = [:]
        var path = "node.db"
        var step = 0
        var store: SQLiteStore? = test.store
        while let running = store {
            // One delivery, or one match, between two crashes.
            let due = try await running.takeDue(in: .ios, limit: 1, now: TestStore.now)
            if let delivery = due.deliveries.first?.delivery {
                delivered[delivery.token.string, default: 0] += 1
                try await running.record([DeliveryResult(delivery: delivery, verdict: .done)])
            } else if let next = try await running.waiting(in: .ios).first {
                _ = try await running.match(next.id, in: .ios, limit: 2, now: TestStore.now)
            } else {
                break
            }
            step += 1
            let copy = "crash\(step).db"
            try test.directory.copyStore(path, to: copy)
            path = copy
            store = try await SQLiteStore.open(
                path: test.directory.file(copy), lanes: [.ios, .android], now: TestStore.now
            )
        }
        #expect(delivered == expected)
        #expect(step >= 15)
    }

    @Test func aPlatformWithoutALaneKeepsItsNotificationsUntilTheyExpire() async throws {
        try await test.add(Member(), token: "droid", platform: .android, to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")], lifetime: .seconds(10)))
        let ios = try await TestStore.matchAll(test.store, queued)
        try await test.store.record(ios.map { DeliveryResult(delivery: $0, verdict: .done) })
        try test.directory.copyStore("node.db", to: "later.db")
        func restart(_ lanes: [Platform], after duration: Duration) async throws -> Int {
            let store = try await SQLiteStore.open(
                path: test.directory.file("later.db"), lanes: lanes, now: TestStore.now.advanced(by: duration)
            )
            defer { withExtendedLifetime(store) {} }
            let count = try await store.statistics().notifications
            await store.close()
            return count
        }
        #expect(try await restart([.ios], after: .seconds(9)) == 1)
        #expect(try await restart([.ios, .android], after: .seconds(10)) == 1)
        #expect(try await restart([.ios], after: .seconds(10)) == 0)
    }

    /// What a node would still deliver, in order.
    private func remaining(_ store: SQLiteStore, now: NodeTime = TestStore.now) async throws -> [String] {
        var deliveries = try await store.takeDue(in: .ios, limit: 100, now: now).deliveries.map(\.delivery)
        for queued in try await store.waiting(in: .ios) {
            deliveries += try await TestStore.matchAll(store, queued, limit: 2)
        }
        return deliveries.map { $0.token.string }
    }
}
