import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import TestSupport
import Testing

@testable import PushNodeServer

@Suite(.timeLimit(.minutes(5))) struct LaneTests {
    private let space = TestSpace()

    @Test func everySubscriberGetsItOnce() async throws {
        var limits = LaneLimits()
        limits.matchedAtOnce = 3
        limits.concurrentDeliveries = 4
        let lane = try await TestLane(limits)
        for number in 0..<20 { try await lane.test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        try await lane.publish(space.key("chats"))
        try await lane.publish(space.key("chats"))
        await lane.finish()
        var counts: [String: Int] = [:]
        for token in lane.forwarder.tokens { counts[token, default: 0] += 1 }
        #expect(counts.count == 20 && counts.values.allSatisfy { $0 == 2 })
        #expect(Set(lane.forwarder.entries.map(\.delivery.notification)).count == 2)
        #expect(await lane.lane.status.delivered == 40)
        #expect(try await lane.test.store.statistics().notifications == 0)
    }

    @Test func aLaneTakesUpWhatAnEarlierOneLeft() async throws {
        let test = try await TestStore()
        for number in 0..<3 { try await test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        let queued = try await test.accept(test.notification([space.key("chats")]))
        _ = try await test.store.match(queued.id, in: .ios, limit: 2, now: TestStore.now)
        let store = try await test.afterCrash()
        let forwarder = RecordingForwarder()
        let lane = Lane(
            .ios, forwarder: forwarder, store: store, clock: TestClock().timeline, limits: LaneLimits(), random: { 0 },
            report: { _ in }
        )
        try await lane.load()
        await lane.finish()
        await lane.run()
        #expect(forwarder.tokens.sorted() == ["t0", "t1", "t2"])
    }

    @Test func deliveriesUnderWayAreBounded() async throws {
        var limits = LaneLimits()
        limits.concurrentDeliveries = 5
        let gate = Gate()
        let forwarder = RecordingForwarder { _ in
            await gate.pass()
            return .delivered
        }
        let lane = try await TestLane(limits, forwarder)
        for number in 0..<20 { try await lane.test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        try await lane.publish(space.key("chats"))
        await lane.tries(5)
        #expect(await lane.lane.status.inFlight == 5)
        #expect(try await lane.test.store.statistics().deliveries == 5)
        #expect(forwarder.tokens.count == 5)
        gate.open()
        await lane.finish()
        #expect(forwarder.tokens.count == 20)
    }

    @Test func aSlowDeviceHoldsUpNobodyElse() async throws {
        let gate = Gate()
        let forwarder = RecordingForwarder { delivery in
            if delivery.token == "slow" { await gate.pass() }
            return .delivered
        }
        var limits = LaneLimits()
        limits.concurrentDeliveries = 4
        let lane = try await TestLane(limits, forwarder)
        try await lane.test.add(Member(), token: "slow", to: [space.key("chats")])
        for number in 0..<20 { try await lane.test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        try await lane.publish(space.key("chats"))
        await lane.tries(21)
        #expect(await lane.lane.status.inFlight >= 1)
        gate.open()
        await lane.finish()
        #expect(await lane.lane.status.delivered == 21)
    }

    @Test func aDeliveryIsPutOffTwiceAsLongEachTime() async throws {
        let forwarder = RecordingForwarder { $0.attempts < 3 ? .retry(after: nil) : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        for (number, seconds) in [10, 20, 40].enumerated() {
            await lane.tries(number + 1)
            await lane.advance(by: .milliseconds(seconds * 1000 - 1))
            #expect(forwarder.tokens.count == number + 1)
            await lane.advance(by: .milliseconds(1))
            await lane.tries(number + 2)
        }
        #expect(forwarder.entries.map(\.delivery.attempts) == [0, 1, 2, 3])
        await lane.finish()
        let status = await lane.lane.status
        #expect(status.delivered == 1 && status.retried == 3)
        #expect(try await lane.test.store.statistics().notifications == 0)
    }

    @Test func fiveHundredThatFailAtFirstAllArriveThoughNothingFollows() async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .retry(after: nil) : .delivered }
        let lane = try await TestLane(LaneLimits(), forwarder, clock: TestClock(VirtualClock(drift: .milliseconds(1))))
        try await lane.test.add(Member(), token: "phone", to: [space.key("chats")])
        for _ in 0..<500 { try await lane.publish(space.key("chats")) }
        await lane.tries(500)
        while await lane.lane.status.delivered < 500 {
            var isOver = false
            await eventually {
                isOver = await lane.lane.status.delivered == 500
                return isOver || lane.clock.clock.sleeperCount > 0
            }
            guard !isOver, lane.clock.clock.sleeperCount > 0 else { break }
            lane.clock.clock.advance(by: .milliseconds(100))
        }
        await lane.finish()
        #expect(await lane.lane.status.delivered == 500)
        #expect(try await lane.test.store.statistics().notifications == 0)
    }

    @Test func theProvidersWaitIsKeptWhenItIsLonger() async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .retry(after: .seconds(300)) : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.advance(by: .seconds(299))
        #expect(forwarder.tokens.count == 1)
        await lane.advance(by: .seconds(1))
        await lane.tries(2)
        await lane.finish()
    }

    @Test func whatCanNotBeDeliveredInTimeIsGivenUpAndCounted() async throws {
        let forwarder = RecordingForwarder { _ in .retry(after: nil) }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"), lifetime: .seconds(25))
        await lane.tries(1)
        await lane.advance(by: .seconds(10))
        await lane.tries(2)
        // The next try would be after 30 seconds.
        await lane.finish()
        let status = await lane.lane.status
        #expect(status.expired == 1 && status.retried == 1 && status.delivered == 0)
        #expect(try await lane.test.store.statistics().notifications == 0)
        #expect(try await lane.test.store.statistics().devices == 1)
    }

    @Test func onlyAGoneTokenIsDropped() async throws {
        let outcomes: [String: DeliveryOutcome] = [
            "gone": .tokenGone, "faulty": .payloadFault, "later": .retry(after: nil), "fine": .delivered,
        ]
        let lane = try await TestLane(LaneLimits(), RecordingForwarder { outcomes[$0.token.string] ?? .delivered })
        for token in outcomes.keys { try await lane.test.add(Member(), token: token, to: [space.key("chats")]) }
        try await lane.publish(space.key("chats"))
        await lane.finish()
        #expect(try await lane.test.store.statistics().devices == 3)
        let status = await lane.lane.status
        #expect(status.tokensGone == 1 && status.payloadFaults == 1 && status.retried == 1 && status.delivered == 1)
        #expect(try await lane.test.store.statistics().deliveries == 1)
        await lane.cancel()
    }

    @Test func whatAProviderTakesForNoDeviceIsGivenUpWithoutATry() async throws {
        let forwarder = RecordingForwarder(fault: PayloadFault(reason: "too large"))
        let lane = try await lane(forwarder)
        for number in 0..<5 { try await lane.test.add(Member(), token: "t\(number)", to: [space.key("chats")]) }
        try await lane.publish(space.key("chats"))
        await lane.finish()
        #expect(forwarder.tokens == [])
        #expect(await lane.lane.status.payloadFaults == 6)
        #expect(try await lane.test.store.statistics().notifications == 0)
        #expect(try await lane.test.store.statistics().devices == 6)
    }

    @Test func aMisconfiguredForwarderPausesTheLaneAndLosesNothing() async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .misconfigured : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.clock.clock.sleepers(1)
        try await lane.publish(space.key("chats"))
        await lane.advance(by: .seconds(59))
        #expect(forwarder.tokens.count == 1)
        #expect(await lane.lane.status.queued == 1)
        await lane.advance(by: .seconds(1))
        await lane.tries(3)
        #expect(lane.events.count { if case .forwarderMisconfigured(.ios) = $0 { true } else { false } } >= 1)
        #expect(try await lane.test.store.statistics().devices == 1)
        await lane.cancel()
    }

    @Test func aFailingStoreIsTriedAgainAndNothingIsForgotten() async throws {
        let lane = try await lane(RecordingForwarder())
        try await lane.test.store.change { connection throws(SQLiteError) in
            try connection.execute(
                "CREATE TRIGGER failing BEFORE DELETE ON delivery BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.clock.clock.sleepers(1)
        #expect(lane.events.contains { if case .storeFailed = $0 { true } else { false } })
        #expect(await lane.lane.status.inFlight == 1)
        try await lane.test.store.change { connection throws(SQLiteError) in
            try connection.execute("DROP TRIGGER failing")
        }
        await lane.advance(by: .seconds(1))
        await lane.finish()
        #expect(lane.forwarder.tokens.count == 1)
        #expect(try await lane.test.store.statistics().notifications == 0)
    }

    @Test func cancellingEndsDeliveriesAndTheyAreMadeAgain() async throws {
        let forwarder = RecordingForwarder { _ in
            try? await Task.sleep(for: .seconds(600))
            return .retry(after: nil)
        }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.cancel()
        #expect(try await lane.test.store.nextDue(in: .ios) == TestStore.now.advanced(by: .seconds(10)))
    }

    private func lane(_ forwarder: RecordingForwarder) async throws -> TestLane {
        let lane = try await TestLane(LaneLimits(), forwarder)
        try await lane.test.add(Member(), token: "phone", to: [space.key("chats")])
        return lane
    }
}
