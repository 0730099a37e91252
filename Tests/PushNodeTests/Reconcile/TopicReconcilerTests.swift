import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// When rounds run, and what they send.
@Suite(.timeLimit(.minutes(5))) struct TopicReconcilerTests {
    @Test func theFirstRoundAsksAndSendsOnlyWhatDiffers() async {
        let bench = ReconcileBench()
        await bench.start()
        #expect(bench.node.log == [.subscriptions])
        #expect(await bench.last.result == .unchanged)
        #expect(await bench.last.isLanded)
        await bench.shutdown()
    }

    @Test func theFirstRoundTakesAwayWhatIsWantedNoMore() async {
        let bench = ReconcileBench()
        bench.source.put("s1", mode: .all)
        bench.node.hold(bench.source.desired(for: bench.account.publicKey))
        bench.source.setMode(NotifyMode.none, of: "s1")
        await bench.start()
        #expect(bench.node.log == [.subscriptions, .subscribeAll([])])
        #expect(await bench.last.result == .sent)
        await bench.shutdown()
    }

    @Test func topicsAreSignedAndSentOnce() async {
        let bench = ReconcileBench()
        bench.source.put("s1", mode: .all)
        bench.source.put("s2", chats: [("c1", NotifyMode.none), ("c2", nil)])
        await bench.start()
        let sent = bench.node.sentSets
        #expect(sent.count == 1)
        #expect(bench.names(of: "s1", in: sent.first) == ["chats", bench.me])
        #expect(bench.names(of: "s2", in: sent.first) == [bench.chat("c2"), bench.mine("c2")])
        for topic in sent.first ?? [] {
            #expect(topic.spaceKey.isValidSignature(topic.signature, for: topic.name.bytes))
        }
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func whatHasLandedIsNotSentAgain() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        await bench.start()
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        #expect(await bench.last.result == .unchanged)
        #expect(await bench.last.isLanded)
        #expect(bench.node.sentSets.count == 1)
        bench.source.setMode(NotifyMode.none, of: "s1")
        bench.reconciler.spaceModeWritten()
        await bench.rounds(3)
        #expect(bench.node.sentSets.last == [], "the last topic goes by an empty set")
        await bench.shutdown()
    }

    @Test func chatsInAnotherOrderAreNoChange() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", .all), ("c2", .all)])
        await bench.start()
        bench.source.setChats([("c2", .all), ("c1", .all)], of: "s1")
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        #expect(bench.node.sentSets.count == 1)
        await bench.shutdown()
    }

    @Test func onlyActiveSpacesTakePart() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isActive: false, isOwned: true, mode: .all)
        await bench.start()
        #expect(bench.node.log == [.subscriptions])
        #expect(bench.source.log == [.spaces])
        await bench.shutdown()
    }

    @Test func spaceListEventsAreDebounced() async {
        let bench = ReconcileBench()
        await bench.start()
        bench.reconciler.spaceListChanged()
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .milliseconds(100))
        bench.reconciler.spaceListChanged()
        bench.clock.advance(by: .milliseconds(150))
        // The first quarter second is over; the wait goes on for the second event.
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .milliseconds(99))
        await bench.clock.sleepers(2)
        #expect(await bench.reconciler.status.rounds == 1)
        bench.clock.advance(by: .milliseconds(1))
        await bench.rounds(2)
        #expect(await bench.reconciler.status.rounds == 2)
        await bench.shutdown()
    }

    @Test func eventsWithoutEndDoNotPutARoundOffForever() async {
        let bench = ReconcileBench()
        await bench.start()
        for _ in 0..<50 {
            bench.reconciler.spaceListChanged()
            await bench.clock.sleepers(2)
            bench.clock.advance(by: .milliseconds(100))
        }
        await bench.rounds(2)
        await bench.shutdown()
    }

    @Test func aRoundRunsEveryFiveMinutes() async {
        let bench = ReconcileBench()
        await bench.start()
        for round in 2...4 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .milliseconds(299_999))
            #expect(await bench.reconciler.status.rounds == UInt64(round - 1))
            bench.clock.advance(by: .milliseconds(1))
            await bench.rounds(UInt64(round))
        }
        await bench.shutdown()
    }

    @Test func aWriteIsSentAtOnce() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil)])
        await bench.start()
        bench.source.setChats([("c1", .mentions)], of: "s1")
        bench.reconciler.chatModeWritten(in: "s1")
        await bench.rounds(2)
        #expect(bench.names(of: "s1", in: bench.node.sentSets.last) == [bench.mine("c1")])
        #expect(bench.clock.now.offset == .zero)
        await bench.shutdown()
    }

    @Test func whatWasReadBeforeAWriteIsNeverSent() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil)])
        bench.source.put("s2", chats: [("c2", nil)])
        let isMuted = Once()
        bench.source.intercept { [bench] call in
            guard call == .chats("s2"), isMuted.first() else { return }
            bench.source.setChats([("c1", NotifyMode.none)], of: "s1")
            bench.reconciler.chatModeWritten(in: "s1")
        }
        await bench.start()
        await bench.rounds(2)
        for set in bench.node.sentSets {
            #expect(bench.names(of: "s1", in: set) == [])
            #expect(bench.names(of: "s2", in: set) == ["chats", bench.me])
        }
        #expect(bench.node.sentSets.count == 1)
        await bench.shutdown()
    }

    @Test func writesWithoutEndDoNotPutARoundOffForever() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        let isOver = Flag()
        bench.source.intercept { [bench] call in
            if call == .chats("s1"), !isOver.isSet { bench.reconciler.spaceModeWritten() }
        }
        await bench.reconciler.start()
        await eventually { !bench.node.sentSets.isEmpty }
        isOver.set()
        await eventually { await bench.last.isLanded }
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func causesDuringARoundMakeOneMore() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        let isFirst = Once()
        bench.source.intercept { [bench] call in
            guard call == .spaces, isFirst.first() else { return }
            for _ in 0..<20 { bench.reconciler.tokenChanged() }
        }
        await bench.start()
        await bench.rounds(2)
        await bench.clock.sleepers(1)
        for _ in 0..<100 { await Task.yield() }
        #expect(await bench.reconciler.status.rounds == 2)
        #expect(bench.source.log.filter { $0 == .spaces }.count == 2)
        await bench.shutdown()
    }

    @Test func aRoundForwardsTheTokenThenRegistersThenSubscribes() async {
        let token = DeviceToken(platform: .android, token: "t")
        let bench = ReconcileBench(token: token)
        bench.source.put("s1", isOwned: true)
        bench.source.put("s2", isOneToOne: true)
        bench.source.put("s3")
        await bench.start()
        let keys = ["s1", "s2"].compactMap { bench.source.keysNow(of: $0)?.spaceKey.publicKey }
        let log = bench.node.log
        #expect(log.prefix(4) == [.setToken(token), .subscriptions, .createSpace(keys[0]), .createSpace(keys[1])])
        #expect(log.map(\.kind) == [.setToken, .subscriptions, .createSpace, .createSpace, .subscribeAll])
        #expect(await bench.last.isTokenSettled == true)
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        #expect(bench.node.log.count == 5, "what the node has taken is not said again")
        await bench.shutdown()
    }

    @Test func aTokenThatIsNotTakenDoesNotHoldUpTheRound() async {
        let bench = ReconcileBench(token: DeviceToken(platform: .ios, token: "t"))
        bench.node.script(.setToken, .silence(landing: nil))
        await bench.tokens?.start()
        await bench.reconciler.start()
        // The ticker, the round's budget, the wait for the token, the call's budget and the call.
        await bench.clock.sleepers(5)
        bench.clock.advance(by: .seconds(5))
        await bench.rounds(1)
        #expect(await bench.last.isLanded)
        #expect(await bench.last.isTokenSettled == false)
        await bench.shutdown()
    }

    @Test func aShutdownLeavesNothingRunning() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        bench.node.script(.subscribeAll, .silence(landing: nil))
        await bench.reconciler.start()
        bench.reconciler.spaceListChanged()
        await eventually { bench.node.sentSets.count == 1 }
        await bench.reconciler.shutdown()
        #expect(bench.clock.sleeperCount == 0)
        #expect(await bench.last.error == .cancelled)
        bench.reconciler.spaceListChanged()
        bench.reconciler.spaceModeWritten()
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.node.log.map(\.kind) == [.subscriptions, .subscribeAll])
        #expect(bench.clock.sleeperCount == 0)
    }
}
