import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

@Suite struct GroupCommitTests {
    private let test: TestStore
    private let space = TestSpace()

    init() async throws {
        test = try await TestStore()
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
    }

    @Test func changesThatComeTogetherAreCommittedTogether() async throws {
        let before = await test.store.commits
        let store = test.store
        let notifications = (0..<200).map { _ in test.notification([space.key("chats")]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for notification in notifications {
                group.addTask { _ = try await store.accept(notification, limits: .places(1000)) }
            }
            try await group.waitForAll()
        }
        #expect(await store.commits - before < 100)
        #expect(try await store.statistics().notifications == 200)
    }

    @Test func oneThatFailsTakesNothingOfTheOthersWithIt() async throws {
        let file = await test.store.file
        let results = try await withConnection { connection in
            var commit = GroupCommit(connection, of: file)
            let recorder = Recorder()
            commit.commit([
                recorder.change("INSERT INTO reached VALUES (1, 0, 'a')"),
                recorder.change("INSERT INTO reached VALUES (2, 0, 'b')", "INSERT INTO nowhere VALUES (1)"),
                recorder.change("INSERT INTO reached VALUES (3, 0, 'c')"),
            ])
            return recorder.answers
        }
        #expect(results == [true, false, true])
        #expect(try await notificationsReached() == [1, 3])
    }

    @Test func whenTheWholeTransactionIsLostEveryChangeInItFails() async throws {
        let file = await test.store.file
        let results = try await withConnection { connection in
            var commit = GroupCommit(connection, of: file)
            let recorder = Recorder()
            commit.commit([
                recorder.change("INSERT INTO reached VALUES (1, 0, 'a')"),
                recorder.change("INSERT INTO reached VALUES (2, 0, 'b')", "ROLLBACK", "INSERT INTO nowhere VALUES (1)"),
                recorder.change("INSERT INTO reached VALUES (3, 0, 'c')"),
            ])
            return recorder.answers
        }
        #expect(results == [false, false, true])
        #expect(try await notificationsReached() == [3])
    }

    @Test func whatCanNotBeCommittedFails() async throws {
        let file = await test.store.file
        let results = try await withConnection { connection in
            try? connection.execute(
                """
                PRAGMA foreign_keys = ON;
                CREATE TABLE late (a REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED)
                """
            )
            var commit = GroupCommit(connection, of: file)
            let recorder = Recorder()
            commit.commit([
                recorder.change("INSERT INTO reached VALUES (1, 0, 'a')"),
                recorder.change("INSERT INTO late VALUES (99)"),
            ])
            #expect(!connection.isInTransaction)
            return recorder.answers
        }
        #expect(results == [false, false])
        #expect(try await notificationsReached() == [])
    }

    @Test func onlyWhatMustSurviveTheLossOfPowerWaitsForTheDisk() async throws {
        #expect(try await synchronous() == 2)
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await synchronous() == 2)
        let deliveries = try await TestStore.matchAll(test.store, queued)
        #expect(try await synchronous() == 1)
        _ = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await synchronous() == 2)
        try await test.store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        #expect(try await synchronous() == 1)
        try await test.store.revokeToken(of: Member().caller)
        #expect(try await synchronous() == 2)
    }

    @Test func aClosedStoreSaysSo() async throws {
        await test.store.close()
        await test.store.close()
        let notification = test.notification([space.key("chats")])
        await #expect(throws: StoreError.closed) { try await test.store.accept(notification, limits: .places(1)) }
        await #expect(throws: StoreError.closed) { try await test.store.statistics() }
        // Its file is free for the next process.
        _ = try await SQLiteStore.open(path: test.directory.file("node.db"), lanes: [], now: TestStore.now)
    }

    @Test func aFullStoreKeepsWhatItHasAndAnswersThatItIsFull() async throws {
        let path = test.directory.file("small.db")
        let small = try await SQLiteStore.open(
            path: path, limits: .bytes(120 * 1024), lanes: [.ios, .android], now: TestStore.now
        )
        try await small.replaceTopics(of: Member().identity, by: [space.key("chats")])
        var accepted = 0
        await #expect(throws: StoreError.full(path: path)) {
            while true {
                let notification = test.notification([space.key("chats")])
                _ = try await small.accept(notification, limits: .places(100_000))
                accepted += 1
            }
        }
        #expect(accepted > 0)
        #expect(try await small.waiting(in: .ios).count == accepted)
        await small.close()
        let again = try await SQLiteStore.open(path: path, lanes: [.ios, .android], now: TestStore.now)
        #expect(try await again.waiting(in: .ios).count == accepted)
        let notification = test.notification([space.key("chats")])
        #expect(try await again.accept(notification, limits: .places(100_000)) != .queueFull)
    }

    private func withConnection<T: Sendable>(
        _ body: @Sendable (SQLiteConnection) -> T
    ) async throws -> T {
        try await test.store.read { connection throws(SQLiteError) in body(connection) }
    }

    private func notificationsReached() async throws -> [Int64] {
        try await test.store.read { connection throws(SQLiteError) in
            try connection.all("SELECT notification FROM reached ORDER BY 1") { $0.integer(0) }
        }
    }

    private func synchronous() async throws -> Int64? {
        try await test.store.read { connection throws(SQLiteError) in
            try connection.first("PRAGMA synchronous") { $0.integer(0) }
        }
    }
}

/// Makes changes out of SQL and keeps their answers.
private final class Recorder {
    private final class Scripted: PendingChange {
        let isDurable = true
        let statements: [String]
        let answer: (Bool) -> Void

        init(_ statements: [String], _ answer: @escaping (Bool) -> Void) {
            self.statements = statements
            self.answer = answer
        }

        func make(on connection: SQLiteConnection) throws(SQLiteError) {
            for statement in statements { try connection.execute(statement) }
        }

        func succeed() { answer(true) }
        func fail(_ error: StoreError) { answer(false) }
    }

    private(set) var results: [Int: Bool] = [:]
    private var count = 0

    func change(_ statements: String...) -> any PendingChange {
        let index = count
        count += 1
        return Scripted(statements) { self.results[index] = $0 }
    }

    /// The answers in the order of the changes; each was answered once.
    var answers: [Bool] { results.sorted { $0.key < $1.key }.map(\.value) }
}
