import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// A space with a hundred thousand subscribers beside a small one.
@Suite(.timeLimit(.minutes(5))) struct FanOutTests {
    private static let subscribers = 100_000
    private let crowd = TestSpace()
    private let small = TestSpace()

    @Test func aCrowdedSpaceDoesNotHoldUpAnother() async throws {
        let gate = Gate()
        let begun = Gate()
        let forwarder = RecordingForwarder { delivery in
            begun.open()
            if delivery.token != "small" { await gate.pass() }
            return .delivered
        }
        let lane = try await TestLane(LaneLimits(), forwarder)
        try await addCrowd(to: lane.test.store)
        try await lane.test.add(Member(), token: "small", to: [small.key("chats")])
        for _ in 0..<3 { try await lane.publish(crowd.key("chats")) }
        await begun.pass()
        try await lane.publish(small.key("chats"))
        gate.open()
        var tries = 1
        while !forwarder.tokens.contains("small") {
            await lane.tries(tries)
            tries = forwarder.entries.count + 1
        }
        // At most what was under way, one turn of the crowd's, and what is under way beside it, whose tries begin in any order.
        let limits = LaneLimits()
        let position = try #require(forwarder.tokens.firstIndex(of: "small"))
        #expect(position <= 2 * limits.concurrentDeliveries + limits.matchedAtOnce)
        await lane.cancel()
    }

    @Test func everyOneOfACrowdGetsItOnceInStepsOfAFew() async throws {
        let test = try await TestStore()
        try await addCrowd(to: test.store)
        let queued = try await test.accept(test.notification([crowd.key("chats"), crowd.key("chats/a")]))
        var seen: Set<Int64> = []
        var steps = 0
        while true {
            let match = try await test.store.match(queued.id, in: .ios, limit: 256, now: TestStore.now)
            #expect(match.deliveries.count <= 256)
            for delivery in match.deliveries { seen.insert(delivery.id) }
            let results = match.deliveries.map { DeliveryResult(delivery: $0, verdict: .done) }
            try await test.store.record(results)
            steps += 1
            if match.isLast { break }
        }
        #expect(seen.count == Self.subscribers)
        #expect(steps == Self.subscribers / 256 + 1)
    }

    @Test func matchingReadsOnlyAsManySubscribersAsItYields() async throws {
        let test = try await TestStore()
        try await addCrowd(to: test.store)
        let topics = ["chats", "chats/a"].map { crowd.key(WireString($0)) }
        let rows = try await test.store.read { connection throws(SQLiteError) in
            let ids = try topics.map { topic throws(SQLiteError) in try connection.topic(topic) ?? 0 }
            var merge = SubscriberMerge(connection, topics: ids, after: 50_000, limit: 256)
            var accounts: [Int64] = []
            for _ in 0..<256 {
                if let account = try merge.next() { accounts.append(account) }
            }
            return (accounts, merge.rowsRead)
        }
        #expect(rows.0 == Array(50_001...50_256))
        #expect(rows.1 <= 4 * 256)
    }

    /// Every account subscribed to `chats`, every tenth to `chats/a` too, each with one device.
    private func addCrowd(to store: SQLiteStore) async throws {
        let space = crowd.bytes
        try await store.change { connection throws(SQLiteError) in
            try connection.run("INSERT INTO topic (id, space, name) VALUES (1, ?, 'chats')", .bytes(space))
            try connection.run("INSERT INTO topic (id, space, name) VALUES (2, ?, 'chats/a')", .bytes(space))
            try connection.execute("UPDATE topic SET name = CAST(name AS BLOB)")
            try connection.execute(
                """
                WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number LIMIT \(Self.subscribers))
                INSERT INTO account (id, identity) SELECT n, randomblob(32) FROM number;
                INSERT INTO subscription (topic, account, position) SELECT 1, id, 0 FROM account;
                INSERT INTO subscription (topic, account, position) SELECT 2, id, 1 FROM account WHERE id % 10 = 0;
                INSERT INTO device (account, peer, platform, token, set_at)
                SELECT id, randomblob(32), 0, CAST('crowd' || id AS BLOB), 0 FROM account;
                """
            )
        }
    }
}
