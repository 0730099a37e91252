import ProtoWire
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

@Suite struct StoreTopicsTests {
    private let test: TestStore
    private let space = TestSpace()
    private let member = Member()

    init() async throws {
        test = try await TestStore()
    }

    @Test func topicsComeBackInTheirOrderAndOnce() async throws {
        let topics = ["c", "a", "b", "a", "c"].map { space.key(WireString($0)) }
        try await test.store.replaceTopics(of: member.identity, by: topics)
        #expect(try await test.store.topics(of: member.identity) == Array(topics.prefix(3)))
    }

    @Test func replacingLeavesNothingOfTheOldSet() async throws {
        try await replace("a", "b", "c")
        try await replace("c", "d")
        #expect(try await names() == ["c", "d"])
        #expect(try await test.store.statistics().topics == 2)
        try await replace("d", "c")
        #expect(try await names() == ["d", "c"])
        try await test.store.replaceTopics(of: member.identity, by: [])
        #expect(try await names() == [])
        #expect(try await test.store.statistics() == StoreStatistics())
    }

    @Test func theSameSetAgainWritesNothing() async throws {
        try await replace("a", "b")
        let before = try await changes()
        try await replace("a", "b")
        #expect(try await changes() == before)
        try await replace("b", "a")
        #expect(try await changes() == before + 2)
    }

    @Test func takingTopicsAwayLeavesTheOthers() async throws {
        try await replace("a", "b", "c")
        try await test.store.removeTopics([space.key("b"), space.key("unknown")], of: member.identity)
        #expect(try await names() == ["a", "c"])
        try await test.store.removeTopics([space.key("a"), space.key("c")], of: member.identity)
        #expect(try await test.store.statistics() == StoreStatistics())
        try await test.store.removeTopics([space.key("a")], of: member.identity)
    }

    @Test func aTopicLivesAsLongAsSomebodyWantsIt() async throws {
        let other = Member()
        try await replace("a")
        try await test.store.replaceTopics(of: other.identity, by: [space.key("a")])
        try await test.store.replaceTopics(of: member.identity, by: [])
        #expect(try await test.store.topics(of: other.identity) == [space.key("a")])
        #expect(try await test.store.statistics().topics == 1)
    }

    @Test func spacesAndNamesThatAreNotUTF8AreKeptApart() async throws {
        let names = [[0xff], [0xfe], [], [0x00], [0xef, 0xbf, 0xbd]].map { WireString(bytes: $0 as [UInt8]) }
        let topics = names.map(space.key) + names.map(TestSpace().key)
        try await test.store.replaceTopics(of: member.identity, by: topics)
        #expect(try await test.store.topics(of: member.identity) == topics)
        #expect(try await test.store.statistics().topics == 10)
    }

    @Test func spacesAreRegisteredOnceAndRemovedByTheirAuthor() async throws {
        let store = test.store
        let other = Member()
        func create(_ space: TestSpace, _ author: Member, limit: Int = 10) async throws -> SpaceCreation {
            try await store.createSpace(space.bytes, author: author.identity, at: TestClock().calendar, limit: limit)
        }
        #expect(try await create(space, member) == .created)
        #expect(try await create(space, member) == .exists)
        #expect(try await create(space, other) == .exists)
        try await store.removeSpace(space.bytes, author: other.identity)
        #expect(try await store.statistics().spaces == 1)
        #expect(try await create(TestSpace(), member, limit: 1) == .tooMany)
        #expect(try await create(TestSpace(), other, limit: 1) == .created)
        try await store.removeSpace(space.bytes, author: member.identity)
        try await store.removeSpace(space.bytes, author: member.identity)
        #expect(try await create(space, other, limit: 2) == .created)
    }

    private func replace(_ names: WireString...) async throws {
        try await test.store.replaceTopics(of: member.identity, by: names.map(space.key))
    }

    private func names() async throws -> [WireString] {
        try await test.store.topics(of: member.identity).map(\.name)
    }

    private func changes() async throws -> Int64 {
        try await test.store.read { connection throws(SQLiteError) in
            try connection.first("SELECT total_changes()") { $0.integer(0) } ?? 0
        }
    }
}
