import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import TestSupport
import Testing

@testable import PushNodeServer

/// The calendar is set by any amount, in either direction, while the node runs and between its runs.
@Suite(.timeLimit(.minutes(2))) struct ClockStepTests {
    static let steps: [Duration] = [
        .milliseconds(1), .milliseconds(999), .seconds(10), .seconds(3600), .seconds(2 * 86_400),
        .seconds(3653 * 86_400),
    ].flatMap { [$0, .zero - $0] }

    private let space = TestSpace()

    // MARK: While it runs

    @Test(arguments: steps) func aTryIsMadeWhenItIsDue(step: Duration) async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .retry(after: nil) : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.clock.clock.sleepers(1)
        lane.clock.set(by: step)
        await lane.advance(by: .milliseconds(9_999))
        #expect(forwarder.tokens.count == 1)
        await lane.advance(by: .milliseconds(1))
        await lane.tries(2)
        await lane.finish()
        #expect(await lane.lane.status.expired == 0)
        #expect(try await lane.test.store.statistics().notifications == 0)
    }

    @Test(arguments: steps) func aPauseIsAsLongAsItIs(step: Duration) async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .misconfigured : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"))
        await lane.tries(1)
        await lane.clock.clock.sleepers(1)
        lane.clock.set(by: step)
        await lane.advance(by: .seconds(60))
        await lane.tries(2)
        await lane.finish()
        #expect(await lane.lane.status.delivered == 1)
    }

    @Test(arguments: steps) func aNotificationLivesAsLongAsItMay(step: Duration) async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .retry(after: .seconds(3599)) : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"), lifetime: .seconds(3600))
        await lane.tries(1)
        await lane.clock.clock.sleepers(1)
        lane.clock.set(by: step)
        await lane.advance(by: .seconds(3599))
        await lane.tries(2)
        await lane.finish()
        #expect(await lane.lane.status.delivered == 1)
    }

    /// The app registers its token again while a provider says that the old registration is gone.
    @Test(arguments: steps) func aTokenThatWasSetAgainStays(step: Duration) async throws {
        let (begun, gate) = (Gate(), Gate())
        let forwarder = RecordingForwarder { _ in
            begun.open()
            await gate.pass()
            return .tokenGone
        }
        let lane = try await TestLane(LaneLimits(), forwarder)
        let member = Member()
        try await lane.test.add(member, token: "phone", to: [space.key("chats")])
        try await lane.publish(space.key("chats"))
        await begun.pass()
        lane.clock.set(by: step)
        lane.clock.clock.advance(by: .milliseconds(1))
        let now = lane.clock.timeline.now
        _ = try await lane.test.store.setToken(
            "phone", platform: .ios, of: member.caller, at: now, limit: 9, accountLimit: 9)
        gate.open()
        await lane.finish()
        #expect(await lane.lane.status.tokensGone == 1)
        #expect(try await lane.test.store.statistics().devices == 1)
    }

    @Test func whatAProviderMakesOfAWrongClockIsBounded() async throws {
        let forwarder = RecordingForwarder { $0.attempts == 0 ? .retry(after: .seconds(86_400 * 365)) : .delivered }
        let lane = try await lane(forwarder)
        try await lane.publish(space.key("chats"), lifetime: .seconds(86_400))
        await lane.tries(1)
        await lane.advance(by: LaneLimits().longestProviderWait)
        await lane.tries(2)
        await lane.finish()
        #expect(await lane.lane.status.delivered == 1)
    }

    @Test func aStepIsFoundOnceAndSlowDriftIsNone() {
        let start = UnixTime(milliseconds: 1_800_000_000_000)
        var watch = CalendarWatch(calendar: start, uptime: .seconds(5))
        #expect(watch.step(calendar: start.advanced(by: .seconds(60)), uptime: .seconds(65)) == nil)
        #expect(watch.step(calendar: start.advanced(by: .seconds(121)), uptime: .seconds(125)) == nil)
        #expect(watch.step(calendar: start.advanced(by: .seconds(-3600)), uptime: .seconds(125)) == .seconds(-3720))
        #expect(watch.step(calendar: start.advanced(by: .seconds(-3540)), uptime: .seconds(185)) == nil)
        #expect(watch.step(calendar: start.advanced(by: .seconds(86_400)), uptime: .seconds(185)) == .seconds(89_940))
    }

    // MARK: Between runs

    @Test(arguments: steps) func nothingIsLostWhenTheNodeIsStartedAnew(step: Duration) async throws {
        let bench = try Bench()
        try await bench.leave(42)
        // A minute later, on the same machine.
        let clock = TestClock(step: step + .seconds(60), startUptime: .seconds(1060))
        let forwarder = RecordingForwarder()
        let node = try await bench.start(forwarder, clock)
        await forwarder.tries(42)
        await node.stop(drain: .seconds(10))
        #expect(Set(forwarder.entries.map(\.delivery.notification)).count == 42)
        let stepped = bench.log.events.compactMap { if case .clockStepped(let found) = $0 { found } else { nil } }
        #expect(stepped == (step > .seconds(2) || step < .seconds(-2) ? [step] : []))
    }

    @Test(arguments: steps) func nothingIsLostWhenTheMachineIsStartedAnew(step: Duration) async throws {
        let bench = try Bench()
        try await bench.leave(42)
        let clock = TestClock(step: step, startUptime: .seconds(20), boot: "second")
        let forwarder = RecordingForwarder()
        let node = try await bench.start(forwarder, clock)
        await eventually { clock.clock.sleeperCount >= 2 }
        clock.clock.advance(by: Backoff().longest)
        await forwarder.tries(42)
        await node.stop(drain: .seconds(10))
        let restarts = bench.log.events.compactMap { event in
            if case .machineRestarted(let moved) = event { moved } else { nil }
        }
        #expect(restarts == [step])
        let status = await node.status
        #expect(status.lanes[.ios]?.expired == 0 && status.lanes[.ios]?.delivered == 42)
    }

    /// The time between two runs counts, whatever the calendar says of it; what expires is counted and told.
    @Test(arguments: [Duration.zero, .seconds(-86_400 * 2)])
    func whatExpiresBetweenRunsIsToldByLane(step: Duration) async throws {
        let bench = try Bench()
        try await bench.leave(42)
        let clock = TestClock(step: step, startUptime: .seconds(1000 + 86_400))
        let forwarder = RecordingForwarder()
        let node = try await bench.start(forwarder, clock)
        await eventually { await node.status.lanes[.ios]?.expired == 42 }
        await node.stop(drain: .seconds(10))
        #expect(forwarder.tokens.isEmpty)
        let told = bench.log.events.map { "\($0)" }.filter { $0.contains("expired") }
        #expect(told == ["42 deliveries for ios devices expired: they could not be brought within 24 h"])
    }

    @Test func whatExpiresWithoutALaneIsToldToo() async throws {
        let bench = try Bench()
        try await bench.leave(3)
        let clock = TestClock(startUptime: .seconds(1000 + 86_400))
        let node = try await bench.start(RecordingForwarder(), clock, platform: .android)
        await node.stop(drain: .seconds(10))
        #expect(bench.log.events.contains { "\($0)".contains("3 deliveries for ios devices expired") })
        #expect(await node.status.store == nil)
    }

    /// Times of a store that no clock explains: of an earlier version under a wrong calendar, or of a machine that lost
    /// its last seconds.
    @Test func nothingWaitsOrLivesLongerThanItMay() async throws {
        let test = try await TestStore()
        let member = Member()
        try await test.add(member, token: "phone", to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")], lifetime: .seconds(86_400 * 365)))
        let delivery = try #require(
            try await test.store.match(queued.id, in: .ios, limit: 9, now: TestStore.now).deliveries.first)
        let late = TestStore.now.advanced(by: .seconds(86_400 * 30))
        try await test.store.record([DeliveryResult(delivery: delivery, verdict: .retry(at: late))])
        let store = try await test.afterCrash()
        let due = TestStore.now.advanced(by: Backoff().longest)
        #expect(try await store.nextDue(in: .ios) == due)
        let taken = try await store.takeDue(in: .ios, limit: 9, now: due)
        #expect(taken.deliveries.first?.delivery.expiresAt == TestStore.now.advanced(by: .seconds(86_400)))
    }

    // MARK: What is kept

    @Test func aMachineThatStopsAtOnceTakesFewSecondsWithIt() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let (store, start) = try await SQLiteStore.open(
            path: directory.file("node.db"), clock: clock, QueueRecovery(lanes: [.ios]))
        for _ in 0..<7 {
            clock.clock.advance(by: .seconds(9))
            try await store.replaceTopics(of: Member().identity, by: [space.key("chats")])
        }
        let written = start.timeline.now
        try directory.copyStore("node.db", to: "crashed.db")
        let later = TestClock(step: .seconds(86_400), startUptime: .seconds(5), boot: "second")
        let (again, next) = try await SQLiteStore.open(
            path: directory.file("crashed.db"), clock: later, QueueRecovery(lanes: [.ios]))
        #expect(next.passage?.isKnown == false && next.passage?.counted == .zero)
        #expect((.zero ... .seconds(10)).contains(next.timeline.now.duration(to: written)))
        await again.close()
        // In order, nothing is lost at all, and another process on the same machine goes on to the millisecond.
        await store.close()
        clock.clock.advance(by: .milliseconds(1_234))
        let third = try await SQLiteStore.open(
            path: directory.file("node.db"), clock: clock, QueueRecovery(lanes: [.ios]))
        #expect(third.start.timeline.now == written.advanced(by: .milliseconds(1_234)))
        #expect(third.start.passage?.isKnown == true)
        await third.store.close()
    }

    @Test(arguments: [String?.none, "another"]) func uptimeOfAnotherRunOfTheMachineMeansNothing(boot: String?) {
        let record = TimeRecord(
            time: TestClock.start, calendar: UnixTime(milliseconds: 0), uptime: .seconds(100), boot: "first")
        let clock = TestClock(startUptime: .seconds(86_400 * 300), boot: boot)
        #expect(Timeline(clock, after: record).now == TestClock.start)
        // Nor does one that is less, as in another container of the machine.
        let earlier = TestClock(startUptime: .seconds(99))
        #expect(Timeline(earlier, after: record).now == TestClock.start)
    }

    @Test func theMachinesClocksAreRead() {
        let clock = SystemClock()
        let (before, boot) = (clock.uptime, clock.boot)
        #expect(before > .zero && clock.uptime >= before)
        #expect(boot == SystemClock().boot)
        #expect(clock.calendar.milliseconds > 1_600_000_000_000)
    }

    // MARK: -

    private func lane(_ forwarder: RecordingForwarder) async throws -> TestLane {
        let lane = try await TestLane(LaneLimits(), forwarder)
        try await lane.test.add(Member(), token: "phone", to: [space.key("chats")])
        return lane
    }

    /// A node's folder over several runs.
    private struct Bench {
        let directory: TemporaryDirectory
        let log = EventLog()
        private let space = TestSpace()
        private let sender = Member()

        init() throws {
            directory = try TemporaryDirectory()
        }

        func start(_ forwarder: RecordingForwarder, _ clock: TestClock, platform: Platform = .ios) async throws
            -> NodeCore
        {
            var configuration = NodeConfiguration(
                storePath: directory.file("node.db"), forwarders: [platform: forwarder])
            configuration.clock = clock
            configuration.random = { 0 }
            configuration.onEvent = log.add
            return try await NodeCore.start(configuration)
        }

        /// Runs a node whose provider is down, and leaves it with so many deliveries.
        func leave(_ count: Int) async throws {
            let forwarder = RecordingForwarder { _ in .retry(after: nil) }
            let node = try await start(forwarder, TestClock())
            let member = Member()
            try await call(.setToken, SetTokenRequest(platform: .ios, token: "phone"), member, at: node)
            try await call(.subscribeAll, TopicsMessage(topics: Topics([space.topic("chats")])), member, at: node)
            for number in 0..<count {
                let message = sender.message([UInt8(number)])
                try await call(
                    .notify, NotifyRequest(topics: space.topics("chats"), message: message, groupId: "g"), sender,
                    at: node)
            }
            await forwarder.tries(count)
            await node.stop(drain: .seconds(10))
        }

        private func call(_ rpc: PushRPC, _ request: some PushMessage, _ member: Member, at node: NodeCore) async throws
        {
            let answer = try await node.service.handle(rpc.rawValue, request: request.encoded(), caller: member.caller)
            #expect(try Ok(bytes: answer) == Ok())
        }
    }
}
