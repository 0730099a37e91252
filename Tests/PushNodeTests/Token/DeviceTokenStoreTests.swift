import PushAPI
import TestSupport
import Testing

@testable import PushNode

/// The record on this device counts, and the node is brought in step with it.
@Suite(.timeLimit(.minutes(5))) struct DeviceTokenStoreTests {
    private let a = DeviceToken(platform: .ios, token: "token-a")
    private let b = DeviceToken(platform: .android, token: "token-b")

    @Test func aTokenIsSavedThenForwarded() async throws {
        let bench = TokenBench()
        await bench.store.start()
        try await bench.store.set(a)
        #expect(bench.persistence.record == .registered(a))
        await bench.settled()
        #expect(bench.node.log == [.setToken(a)])
        let status = await bench.store.status
        #expect(status.isRegistered && status.platform == .ios && !status.isRevoking && status.lastError == nil)
        await bench.shutdown()
    }

    @Test func aTokenThatWasTakenIsNotForwardedAgain() async throws {
        let bench = TokenBench()
        await bench.store.start()
        try await bench.store.set(a)
        await bench.settled()
        #expect(await bench.store.forward(within: .seconds(5)))
        for _ in 0..<50 { await Task.yield() }
        #expect(bench.node.log == [.setToken(a)])
        await bench.shutdown()
    }

    @Test func theSameTokenIsBroughtEachTimeThatTheAppRegistersIt() async throws {
        let bench = TokenBench()
        await bench.store.start()
        try await bench.store.set(a)
        await bench.settled()
        bench.node.loseState()
        try await bench.store.set(a)
        await bench.settled()
        #expect(bench.node.token == a)
        #expect(bench.persistence.saves == 1, "what is saved is not saved again")
        await bench.shutdown()
    }

    @Test func aNewConnectionBringsTheTokenAgainAndEndsTheBackoff() async throws {
        let bench = TokenBench(.registered(a))
        await bench.store.start()
        await bench.settled()
        bench.node.loseState()
        bench.store.nodeConnected(bench.node.reconnect())
        await eventually { bench.node.token == a }
        await bench.settled()
        #expect(bench.node.log == [.setToken(a), .setToken(a)])
        // The connection that the call itself has made is no news.
        bench.store.nodeConnected(1)
        for _ in 0..<50 { await Task.yield() }
        #expect(bench.node.log.count == 2)

        let down = FakeNode.Reply.failure(.unreachable(reason: "down"))
        bench.node.script(.setToken, down, down, down)
        try await bench.store.set(b)
        for tries in 1...3 {
            await bench.failed(tries)
            if tries < 3 { bench.clock.advance(by: .seconds(tries)) }
        }
        // Nothing but the connection: the clock stands.
        bench.store.nodeConnected(bench.node.reconnect())
        await bench.settled()
        #expect(bench.node.token == b)
        await bench.shutdown()
    }

    @Test func aTokenReplacesARecordThatCanNotBeRead() async throws {
        let bench = TokenBench(.registered(a), isUnreadable: true)
        await bench.store.start()
        bench.persistence.fail(false)
        try await bench.store.set(b)
        await bench.settled()
        #expect(bench.persistence.record == .registered(b))
        #expect(await bench.store.status.recordError == nil)
        await bench.shutdown()
    }

    @Test func aTokenOfAnEarlierRunIsRegisteredAgain() async {
        let bench = TokenBench(.registered(a))
        #expect(await bench.store.status.isRegistered)
        #expect(bench.node.log == [])
        await bench.store.start()
        await bench.settled()
        #expect(bench.node.log == [.setToken(a)])
        await bench.shutdown()
    }

    @Test func withoutATokenNothingIsSaid() async {
        let bench = TokenBench()
        await bench.store.start()
        #expect(await bench.store.forward(within: .seconds(5)))
        #expect(bench.node.log == [])
        #expect(await !bench.store.status.isRegistered)
        await bench.shutdown()
    }

    @Test func whoeverWaitsForADeletionHearsOfItsEnd() async throws {
        let bench = TokenBench(.registered(a))
        await bench.store.start()
        await bench.settled()
        bench.node.script(.revokeToken, FakeNode.Reply(delay: .seconds(1)))
        try await bench.store.revoke()
        async let isInStep = bench.store.forward(within: .seconds(5))
        // The call to the node and the wait for its outcome.
        await bench.clock.sleepers(3)
        bench.clock.advance(by: .seconds(1))
        #expect(await isInStep)
        #expect(bench.persistence.record == .none)
        await bench.shutdown()
    }

    @Test func aDeletionIsToldTheNodeUntilItConfirms() async throws {
        let bench = TokenBench(.registered(a))
        await bench.store.start()
        await bench.settled()
        let down = FakeNode.Reply.failure(.unreachable(reason: "down"))
        bench.node.script(.revokeToken, down, down, down)
        try await bench.store.revoke()
        #expect(bench.persistence.record == .revoking)
        #expect(await !bench.store.status.isRegistered)
        for (tries, wait) in [(1, 1), (2, 2), (3, 4)] {
            await bench.failed(tries)
            #expect(bench.node.calls(.revokeToken).count == tries)
            #expect(await bench.store.status.isRevoking)
            bench.clock.advance(by: .seconds(wait))
        }
        await bench.settled()
        #expect(bench.node.token == nil)
        #expect(bench.persistence.record == .none)
        #expect(await !bench.store.status.isRevoking)
        #expect(bench.node.calls(.setToken).count == 1)
        await bench.shutdown()
    }

    @Test func aDeletionSurvivesARestart() async throws {
        let first = TokenBench(.registered(a))
        first.node.decide { _ in .failure(.unreachable(reason: "down")) }
        await first.store.start()
        try await first.store.revoke()
        await first.failed()
        await first.shutdown()
        #expect(first.persistence.record == .revoking)

        let second = TokenBench(first.persistence.record)
        await second.store.start()
        await second.settled()
        #expect(second.node.log == [.revokeToken])
        #expect(second.persistence.record == .none)
        await second.shutdown()
    }

    @Test func aDeletionDuringAForwardEndsRevoked() async throws {
        let bench = TokenBench()
        bench.node.script(.setToken, FakeNode.Reply(delay: .seconds(3), landing: .seconds(2)))
        await bench.store.start()
        try await bench.store.set(a)
        await bench.clock.sleepers(3)
        try await bench.store.revoke()
        bench.clock.advance(by: .seconds(2))
        await eventually { bench.node.token == a }
        bench.clock.advance(by: .seconds(1))
        await bench.settled()
        #expect(bench.node.token == nil)
        #expect(bench.node.log == [.setToken(a), .revokeToken])
        #expect(bench.persistence.record == .none)
        await bench.shutdown()
    }

    @Test func aTokenDuringAForwardFollowsIt() async throws {
        let bench = TokenBench()
        bench.node.script(.setToken, FakeNode.Reply(delay: .seconds(3)))
        await bench.store.start()
        try await bench.store.set(a)
        await bench.clock.sleepers(2)
        try await bench.store.set(b)
        #expect(bench.node.log == [.setToken(a)])
        bench.clock.advance(by: .seconds(3))
        await bench.settled()
        #expect(bench.node.log == [.setToken(a), .setToken(b)])
        #expect(bench.node.token == b)
        await bench.shutdown()
    }

    @Test func anOldTokenThatLandsLateIsFollowedByTheNewOneAgain() async throws {
        let bench = TokenBench()
        bench.node.script(.setToken, .silence(landing: .seconds(30)))
        await bench.store.start()
        try await bench.store.set(a)
        await bench.clock.sleepers(3)
        try await bench.store.set(b)
        // The call for the first is given up after its time, and the second goes out.
        bench.clock.advance(by: .seconds(5))
        await bench.settled()
        #expect(bench.node.token == b)
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(25))
        await eventually { bench.node.token == a }
        bench.clock.advance(by: .seconds(35))
        await eventually { bench.node.token == b }
        #expect(bench.node.log == [.setToken(a), .setToken(b), .setToken(b)])
        // And that is the end of it.
        await eventually { bench.clock.sleeperCount == 0 }
        await bench.shutdown()
    }

    @Test func aDeletionIsKeptUntilNoOldTokenCanLand() async throws {
        let bench = TokenBench()
        bench.node.script(.setToken, FakeNode.Reply(error: .interrupted(reason: "cut"), landing: .seconds(30)))
        await bench.store.start()
        try await bench.store.set(a)
        await bench.failed(others: 1)
        try await bench.store.revoke()
        await eventually { await bench.store.status.isSettled }
        await bench.clock.sleepers(2)
        #expect(bench.persistence.record == .revoking, "a restart now must revoke again")
        bench.clock.advance(by: .seconds(30))
        await eventually { bench.node.token == a }
        bench.clock.advance(by: .seconds(30))
        await eventually { bench.persistence.record == .none }
        #expect(bench.node.token == nil)
        #expect(bench.node.calls(.setToken).count == 1)
        await bench.shutdown()
    }

    @Test func theSameTokenThatLandsLateIsNoThreat() async throws {
        let bench = TokenBench()
        bench.node.script(.setToken, FakeNode.Reply(error: .interrupted(reason: "cut"), landing: .seconds(30)))
        await bench.store.start()
        try await bench.store.set(a)
        await bench.failed(others: 1)
        bench.clock.advance(by: .seconds(1))
        await bench.settled()
        await eventually { bench.clock.sleeperCount == 1 }
        #expect(bench.node.log == [.setToken(a), .setToken(a)])
        await bench.shutdown()
    }

    @Test func aCallThatFailedMayHaveBeenCarriedOut() async throws {
        let bench = TokenBench()
        await bench.store.start()
        try await bench.store.set(a)
        await bench.settled()
        bench.node.script(.setToken, FakeNode.Reply(error: .malformedAnswer))
        try await bench.store.set(b)
        await bench.failed()
        #expect(bench.node.token == b)
        try await bench.store.set(a)
        await bench.settled()
        #expect(bench.node.token == a)
        await bench.shutdown()
    }

    @Test func aForwardWaitsForItsTimeAtMost() async throws {
        let bench = TokenBench(.registered(a), callBudget: .seconds(100))
        bench.node.script(.setToken, FakeNode.Reply(delay: .seconds(50)))
        await bench.store.start()
        async let isInStep = bench.store.forward(within: .seconds(5))
        // The call, its budget, and the wait.
        await bench.clock.sleepers(3)
        bench.clock.advance(by: .seconds(5))
        #expect(await !isInStep)
        bench.clock.advance(by: .seconds(45))
        await bench.settled()
        await bench.shutdown()
    }

    @Test func aForwardDoesNotWaitForTheBackoff() async throws {
        let bench = TokenBench(.registered(a))
        bench.node.script(.setToken, .failure(.unreachable(reason: "down")))
        await bench.store.start()
        await bench.failed()
        #expect(await bench.store.forward(within: .seconds(5)))
        #expect(bench.clock.now.offset == .zero)
        await bench.shutdown()
    }

    @Test func aForwardThatFailsSaysSo() async throws {
        let bench = TokenBench(.registered(a))
        let down = FakeNode.Reply.failure(.failed(code: 1200, text: "unexpected"))
        bench.node.script(.setToken, down, down)
        await bench.store.start()
        await bench.failed()
        #expect(await !bench.store.forward(within: .seconds(5)))
        #expect(await bench.store.status.lastError == .failed(code: 1200, text: "unexpected"))
        await bench.shutdown()
    }

    @Test func aChangeThatCanNotBeSavedChangesNothing() async throws {
        let bench = TokenBench(.registered(a))
        await bench.store.start()
        await bench.settled()
        bench.persistence.fail(true)
        await #expect(throws: MemoryPersistence.DiskFull.self) { try await bench.store.revoke() }
        await #expect(throws: MemoryPersistence.DiskFull.self) { try await bench.store.set(b) }
        for _ in 0..<50 { await Task.yield() }
        #expect(bench.node.log == [.setToken(a)])
        #expect(await bench.store.status.platform == .ios)
        await bench.shutdown()
    }

    @Test func aConfirmedDeletionThatCanNotBeSavedIsSavedLater() async throws {
        let bench = TokenBench(.revoking)
        await bench.store.start()
        await bench.settled()
        #expect(bench.persistence.record == .none)

        let other = TokenBench(.revoking)
        other.node.script(.revokeToken, FakeNode.Reply(delay: .seconds(1)))
        await other.store.start()
        await other.clock.sleepers(2)
        other.persistence.fail(true)
        other.clock.advance(by: .seconds(1))
        await eventually { await other.store.status.recordError != nil }
        await other.clock.sleepers(1)
        other.persistence.fail(false)
        other.clock.advance(by: .seconds(1))
        await eventually { other.persistence.record == .none }
        #expect(await other.store.status.recordError == nil)
        #expect(other.node.log == [.revokeToken])
        await bench.shutdown()
        await other.shutdown()
    }

    @Test func aRecordThatCanNotBeReadCountsAsNone() async throws {
        let bench = TokenBench(.registered(a), isUnreadable: true)
        await bench.store.start()
        #expect(await bench.store.status.recordError != nil)
        #expect(await !bench.store.status.isRegistered)
        #expect(await bench.store.forward(within: .seconds(1)))
        #expect(bench.node.log == [])
        await bench.shutdown()
    }

    @Test func nothingRunsAfterAShutdown() async throws {
        let bench = TokenBench(.registered(a))
        bench.node.script(.setToken, .silence(landing: nil))
        await bench.store.start()
        async let isInStep = bench.store.forward(within: .seconds(5))
        await bench.clock.sleepers(3)
        await bench.store.shutdown()
        #expect(await !isInStep)
        #expect(await !bench.store.forward(within: .seconds(5)))
        try await bench.store.revoke()
        for _ in 0..<50 { await Task.yield() }
        #expect(bench.clock.sleeperCount == 0)
        #expect(bench.node.log == [.setToken(a)])
        #expect(bench.persistence.record == .revoking)
    }

    @Test func aTokenIsNowhereInTheClear() async {
        let bench = TokenBench(.registered(a))
        #expect(!"\(a) \(String(reflecting: a)) \(bench.persistence.record)".contains("token-a"))
        var dumped = ""
        dump(DeviceTokenRecord.registered(a), to: &dumped)
        #expect(!dumped.contains("token-a"))
        #expect(await !"\(bench.store.status)".contains("token-a"))
    }
}

/// A store between a record in memory and a fake node.
struct TokenBench {
    let clock = VirtualClock()
    let node: FakeNode
    let persistence: MemoryPersistence
    let store: DeviceTokenStore

    init(_ record: DeviceTokenRecord = .none, callBudget: Duration = .seconds(5), isUnreadable: Bool = false) {
        node = FakeNode(clock: clock)
        persistence = MemoryPersistence(record)
        persistence.fail(isUnreadable)
        var timing = DeviceTokenStore.Timing()
        timing.callBudget = callBudget
        store = DeviceTokenStore(persistence: persistence, node: node, clock: clock, timing: timing)
    }

    func settled() async {
        await eventually {
            let status = await store.status
            return status.isSettled && !status.isRevoking
        }
    }

    /// Waits until a call has failed and the next one waits for its time.
    func failed(_ failures: Int = 1, others: Int = 0) async {
        await eventually { await store.status.failures >= failures }
        await clock.sleepers(others + 1)
    }

    func shutdown() async {
        await store.shutdown()
        await node.dropConnection(landing: false)
    }
}
