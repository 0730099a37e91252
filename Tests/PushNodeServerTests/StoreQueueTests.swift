import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

@Suite struct StoreQueueTests {
    private let test: TestStore
    private let space = TestSpace()

    init() async throws {
        test = try await TestStore()
    }

    @Test func everySubscriberOfAnyTopicIsMatchedOnce() async throws {
        let members = (0..<25).map { _ in Member() }
        for (number, member) in members.enumerated() {
            let topics = number.isMultiple(of: 2) ? ["chats"] : ["chats", "chats/a", "chats/b"]
            try await test.add(member, token: "t\(number)", to: topics.map { space.key(WireString($0)) })
        }
        try await test.add(Member(), token: "elsewhere", to: [TestSpace().key("chats"), space.key("chats/c")])
        let keys = ["chats/b", "chats", "chats/a", "chats", "chats/none"].map { space.key(WireString($0)) }
        for limit in [1, 2, 7, 100] {
            let queued = try await test.accept(test.notification(keys))
            let tokens = try await test.tokens(of: queued, limit: limit)
            #expect(tokens == (0..<25).map { "t\($0)" }, "\(limit) at once")
        }
    }

    @Test func whoChangesTopicsMeanwhileStillGetsIt() async throws {
        let (bulk, single) = (space.key("chats"), space.key("chats/a"))
        let members = (0..<3).map { _ in Member() }
        for (number, member) in members.enumerated() { try await test.add(member, token: "t\(number)", to: [bulk]) }
        let queued = try await test.accept(test.notification([bulk, single]))
        // Nobody was subscribed to the single chat when the notification came.
        for member in members { try await test.store.replaceTopics(of: member.identity, by: [single]) }
        #expect(try await test.tokens(of: queued, limit: 1) == ["t0", "t1", "t2"])
        // Nor is anybody to the bulk topic now, and nothing is left of the notification once it is delivered.
        #expect(try await test.store.statistics().topics == 1)
    }

    @Test func manyTopicsAreWrittenAtTheCostOfOne() throws {
        let connection = try StoreFile.node(path: test.directory.file("steps.db")).open()
        let chats = space.key("chats")
        try connection.run("INSERT INTO topic (space, name) VALUES (?, ?)", .bytes(chats.spaceKey), .text(chats.name))
        func steps(_ topics: [TopicKey]) throws -> Int {
            let notification = test.notification(topics)
            let before = connection.steps
            _ = try connection.accept(notification, notification.repeatKey, .none)
            return connection.steps - before
        }
        // Until as many are remembered as each new one looks at.
        for _ in 0..<8 { _ = try steps([chats]) }
        let one = try steps([chats])
        #expect(try steps([chats] + (0..<100).map { space.key(WireString("chats/\($0)")) }) <= one + 10)
    }

    @Test func storedTopicsAreReadBackEachOnce() {
        let other = TestSpace()
        let ours: [WireString] = ["a", "b", ""]
        let theirs: [WireString] = ["a", "a", "c"]
        let keys = ours.map(space.key) + theirs.map(other.key) + [space.key("c")]
        let stored = QueuedTopics.encoded(keys)
        #expect(QueuedTopics.decoded(stored) == keys.enumerated().filter { $0.offset != 4 }.map(\.element))
        #expect(QueuedTopics.decoded(Array(stored.dropLast())) == Array(QueuedTopics.decoded(stored).dropLast()))
        #expect(QueuedTopics.decoded([]).isEmpty)
    }

    @Test func aLoudNotificationSkipsTheSendersAccount() async throws {
        let sender = Member()
        try await test.add(sender, token: "sender's phone", to: [space.key("chats")])
        try await test.add(sender.onAnotherDevice(), token: "sender's tablet", to: [space.key("chats")])
        try await test.add(Member(), token: "other", to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")], from: sender))
        #expect(try await test.tokens(of: queued) == ["other"])
    }

    @Test func aSilentOneGoesToTheSendersAccountOnly() async throws {
        let sender = Member()
        let own = space.key(sender.address)
        try await test.add(sender, token: "sender's phone", to: [own])
        try await test.add(sender.onAnotherDevice(), token: "sender's tablet", to: [own])
        try await test.add(Member(), token: "curious", to: [own])
        let queued = try await test.accept(test.notification([own], from: sender, isSilent: true))
        #expect(try await test.tokens(of: queued).sorted() == ["sender's phone", "sender's tablet"])
    }

    @Test func aSilentOneNeedsASubscription() async throws {
        let sender = Member()
        try await test.add(sender, token: "sender's phone", to: [space.key("chats")])
        try await test.add(Member(), token: "curious", to: [space.key(sender.address)])
        let queued = try await test.accept(test.notification([space.key(sender.address)], from: sender, isSilent: true))
        #expect(try await test.tokens(of: queued) == [])
    }

    @Test(arguments: [1, 100])
    func aPhoneWithSeveralAccountsGetsItOnce(_ limit: Int) async throws {
        for token in ["shared", "own", "shared", "shared"] {
            try await test.add(Member(), token: token, to: [space.key("chats")])
        }
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.tokens(of: queued, limit: limit) == ["shared", "own"])
        // The same text from another platform's provider is another token.
        try await test.add(Member(), token: "shared", platform: .android, to: [space.key("chats")])
        let next = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.tokens(of: next, in: .android) == ["shared"])
        #expect(try await test.tokens(of: next, in: .ios) == ["shared", "own"])
    }

    @Test func aPhoneWithTheSendersAndAnotherAccountGetsItForTheOther() async throws {
        let sender = Member()
        try await test.add(sender, token: "phone", to: [space.key("chats")])
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")], from: sender))
        #expect(try await test.tokens(of: queued) == ["phone"])
    }

    @Test func whatReachesNobodyIsNotKept() async throws {
        #expect(
            try await test.store.accept(test.notification([space.key("chats")]), limits: .places(10)) == .reachesNobody)
        #expect(try await test.store.statistics() == StoreStatistics())
    }

    @Test func theQueueHasALimit() async throws {
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        let store = test.store
        // Each by a sender of its own, or the share of one would be full first.
        func notification() -> IncomingNotification { test.notification([space.key("chats")]) }
        let outcomes = try await withThrowingTaskGroup(of: Acceptance.self) { group in
            for _ in 0..<20 {
                let notification = notification()
                group.addTask { try await store.accept(notification, limits: .places(5)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .queueFull } == 15)
        #expect(try await store.statistics().notifications == 5)
        // One that is done makes room again.
        let waiting = try await store.waiting(in: .ios)
        let queued = try #require(waiting.first)
        let deliveries = try await TestStore.matchAll(store, queued)
        #expect(try await test.tokens(of: queued, in: .android) == [])
        #expect(try await store.accept(notification(), limits: .places(5)) == .queueFull)
        try await store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .done) })
        #expect(try await store.accept(notification(), limits: .places(5)) != .queueFull)
        #expect(try await store.statistics().notifications == 5)
    }

    @Test func oneSenderHasAPartOfWhatIsFree() async throws {
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        let limits = QueueLimits.shared(90, by: 8)
        let greedy = Member()
        func send(as sender: Member) async throws -> Acceptance {
            try await test.store.accept(test.notification([space.key("chats")], from: sender), limits: limits)
        }
        var taken = 0
        while case .queued = try await send(as: greedy) { taken += 1 }
        #expect(taken == 10)
        #expect(try await send(as: greedy) == .shareFull)
    }

    @Test func manyGreedySendersLeaveRoomForTheOthers() throws {
        let limits = QueueLimits.shared(100_000, by: 8)
        for count in [1, 10, 100, 1000] {
            var places = QueuePlaces()
            var greedy = (0..<count).map { SenderTag(rawValue: Int64($0)) }
            // Each takes whatever it gets, in turns.
            while !greedy.isEmpty { greedy = greedy.filter { places.take(1, for: $0, limits) == nil } }
            #expect(abs(places.taken - 100_000 * count / (8 + count)) <= 8 * count)
            let honest = SenderTag(rawValue: -1)
            for _ in 0..<80 { #expect(places.take(1, for: honest, limits) == nil) }
            for _ in 0..<80 { places.give(1, of: honest) }
        }
    }

    @Test func whatIsLargeTakesThePlacesOfSeveral() async throws {
        let small = test.notification([space.key("chats")])
        let large = test.notification(
            (0..<1024).map { space.key(WireString(String(repeating: "x", count: 200) + "\($0)")) })
        #expect(small.places == 1 && large.places == 30)
    }

    @Test func theSharesAreKnownAfterARestart() async throws {
        try await test.add(Member(), token: "phone", to: [space.key("chats")])
        let sender = Member()
        _ = try await test.accept(test.notification([space.key("chats")], from: sender))
        _ = try await test.accept(test.notification([space.key("chats")], from: sender))
        let again = try await test.afterCrash()
        let notification = test.notification([space.key("chats")], from: sender)
        #expect(try await again.accept(notification, limits: QueueLimits.shared(10, by: 4)) == .shareFull)
        #expect(try await again.accept(notification, limits: QueueLimits.shared(14, by: 4)) != .shareFull)
    }

    @Test func aNotificationLivesUntilItsLastOutcome() async throws {
        try await test.add(Member(), token: "a", to: [space.key("chats")])
        try await test.add(Member(), token: "a", to: [space.key("chats")])
        try await test.add(Member(), token: "b", platform: .android, to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.store.waiting(in: .ios) == [queued])
        let first = try await TestStore.matchAll(test.store, queued, in: .ios)
        #expect(try await test.store.waiting(in: .ios) == [])
        #expect(try await test.store.waiting(in: .android) == [queued])
        try await test.store.record(first.map { DeliveryResult(delivery: $0, verdict: .done) })
        #expect(try await test.store.statistics().notifications == 1)
        let second = try await TestStore.matchAll(test.store, queued, in: .android)
        #expect(try await test.store.statistics().notifications == 1)
        try await test.store.record(second.map { DeliveryResult(delivery: $0, verdict: .done) })
        #expect(try await test.store.statistics().notifications == 0)
        #expect(try await rows("SELECT count(*) FROM reached") == 0)
    }

    @Test func anExpiredNotificationReachesNobodyElse() async throws {
        for number in 0..<3 { try await test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        let queued = try await test.accept(test.notification([space.key("chats")], lifetime: .seconds(10)))
        let store = test.store
        let first = try await store.match(queued.id, in: .ios, limit: 1, now: TestStore.now.advanced(by: .seconds(9)))
        #expect(first.deliveries.count == 1 && !first.isLast && !first.isExpired)
        let next = try await store.match(queued.id, in: .ios, limit: 9, now: TestStore.now.advanced(by: .seconds(10)))
        #expect(next.deliveries.isEmpty && next.isLast && next.isExpired)
    }

    @Test func matchingLooksAtAFewSubscribersAtATime() async throws {
        // Nobody has a device, so there is nothing to stop at but the number looked at.
        for _ in 0..<50 { try await test.store.replaceTopics(of: Member().identity, by: [space.key("chats")]) }
        let queued = try await test.accept(test.notification([space.key("chats")]))
        var steps = 0
        while try await !test.store.match(queued.id, in: .ios, limit: 3, now: TestStore.now).isLast { steps += 1 }
        #expect(steps == 4)
    }

    private func rows(_ sql: StaticString) async throws -> Int64? {
        try await test.store.read { connection throws(SQLiteError) in try connection.first(sql) { $0.integer(0) } }
    }
}
