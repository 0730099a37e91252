import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// What a round makes of failures: it never unmutes, and it tries again.
@Suite(.timeLimit(.minutes(5))) struct ReconcileFailureTests {
    // MARK: The account can not be read

    @Test func aSpaceWhoseChatsWereNeverListedIsLeftOut() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true, chats: [("c1", NotifyMode.none), ("c2", nil)])
        bench.source.put("s2")
        bench.source.fail(.chats("s1"))
        await bench.start()
        let sent = bench.node.sentSets
        #expect(bench.names(of: "s1", in: sent.first) == [])
        #expect(bench.names(of: "s2", in: sent.first) == ["chats", bench.me])
        #expect(await !bench.last.isLanded)
        #expect(await bench.last.leftOut.map(\.spaceId) == ["s1"])
        #expect(bench.node.calls(.createSpace).count == 1, "a registration asks for no chats")

        bench.source.heal()
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        #expect(await bench.last.isLanded)
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func aRoundWithoutASpaceDoesNotCountAsLanded() async {
        let bench = ReconcileBench()
        bench.source.put("s1", mode: NotifyMode.none)
        bench.source.fail(.chats("s1"))
        await bench.start()
        bench.source.heal()
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        // The set is the same, and the node is asked again nonetheless.
        #expect(bench.node.log == [.subscriptions, .subscriptions])
        await bench.shutdown()
    }

    @Test func rememberedChatsAreNamed() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil), ("c2", nil)])
        await bench.start()
        #expect(bench.names(of: "s1", in: bench.node.sentSets.last) == ["chats", bench.me])
        // Another device mutes a chat; here it can not be seen.
        bench.source.setChats([("c1", nil), ("c2", nil), ("c3", NotifyMode.none)], of: "s1")
        bench.source.fail(.chats("s1"))
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        let named = [bench.chat("c1"), bench.mine("c1"), bench.chat("c2"), bench.mine("c2")]
        #expect(bench.names(of: "s1", in: bench.node.sentSets.last) == named)
        #expect(await !bench.last.isLanded)

        bench.source.setMode(NotifyMode.none, of: "s1")
        bench.reconciler.spaceModeWritten()
        await bench.rounds(3)
        #expect(bench.node.sentSets.last == [], "the row is read, and what falls back to it follows")
        await bench.shutdown()
    }

    @Test func anOverrideThatWasWrittenIsNotRemembered() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil), ("c2", .all)])
        await bench.start()
        bench.source.setChats([("c1", NotifyMode.none), ("c2", .all)], of: "s1")
        bench.source.fail(.chats("s1"))
        bench.reconciler.chatModeWritten(in: "s1")
        await bench.rounds(2)
        #expect(bench.node.sentSets.last == [])
        await bench.shutdown()
    }

    @Test func aListFromBeforeAWriteIsNotRemembered() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil), ("c2", .all)])
        let isFirst = Once()
        bench.source.intercept { [bench] call in
            guard call == .chats("s1") else { return }
            if isFirst.first() {
                // The list is on its way, without what is written now; no later one comes.
                bench.reconciler.chatModeWritten(in: "s1")
            } else {
                throw FakeSource.Unreadable()
            }
        }
        await bench.start()
        for set in bench.node.sentSets { #expect(set == []) }
        #expect(await bench.last.leftOut.first?.reason.description.contains("can not be listed") == true)
        await bench.shutdown()
    }

    @Test func whatIsOlderThanAListThatWasReadIsNotRemembered() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil), ("c2", .all)])
        bench.source.put("s2")
        await bench.start()
        // Another device mutes a chat, which is read while something else is written here; then nothing can be read.
        bench.source.setChats([("c1", NotifyMode.none), ("c2", .all)], of: "s1")
        let isFirst = Once()
        bench.source.linger { [bench] call in
            guard call == .chats("s1"), isFirst.first() else { return }
            bench.source.fail(.chats("s1"))
            bench.reconciler.spaceModeWritten()
        }
        bench.reconciler.tokenChanged()
        await bench.rounds(3)
        #expect(bench.names(of: "s1", in: bench.node.sentSets.last) == [])
        #expect(bench.names(of: "s2", in: bench.node.sentSets.last) == ["chats", bench.me])
        await bench.shutdown()
    }

    @Test func withoutRowsNothingIsSent() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        bench.source.fail(.spaces)
        await bench.start()
        #expect(bench.node.log == [])
        guard case .spacesUnreadable = await bench.last.error else { return _ = Issue.record("no error") }
        bench.source.heal()
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func aSpaceWithoutKeysHasItsFullSay() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true)
        bench.source.put("s2")
        bench.source.setKeys(nil, of: "s1")
        await bench.start()
        #expect(await bench.last.isLanded)
        #expect(await bench.last.leftOut.map(\.reason) == [.noKeys])
        #expect(bench.node.calls(.createSpace).isEmpty)
        bench.source.setKeys(FakeSource.freshKeys(), of: "s1")
        bench.reconciler.spaceListChanged()
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .milliseconds(250))
        await bench.rounds(2)
        #expect(bench.isInStep)
        #expect(bench.names(of: "s1", in: bench.node.sentSets.last) == ["chats", bench.me])
        await bench.shutdown()
    }

    @Test func aSpaceWhoseKeysFailIsLeftOutAndTriedAgain() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        bench.source.put("s2")
        bench.source.fail(.keys("s1"))
        await bench.start()
        #expect(bench.names(of: "s2", in: bench.node.sentSets.last) == ["chats", bench.me])
        #expect(bench.node.sentSets.last?.count == 2)
        #expect(await !bench.last.isLanded)
        bench.source.heal()
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func whatIsListedTwiceHasTheNarrowerMode() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", .all), ("c1", NotifyMode.none), ("c2", nil), ("c2", nil)])
        bench.source.put("s2", mode: .all)
        bench.source.setRows { rows in
            rows.append(SpaceRow(spaceId: "s2", isActive: true, isOwned: true, isOneToOne: false, mode: .mentions))
        }
        await bench.start()
        let sent = bench.node.sentSets.last
        #expect(bench.names(of: "s1", in: sent) == [bench.chat("c2"), bench.mine("c2")])
        #expect(bench.names(of: "s2", in: sent) == [bench.me])
        #expect(bench.node.calls(.createSpace).count == 1)
        await bench.shutdown()
    }

    @Test func spacesWithOneKeyUseNoTopicsOfTheWholeSpace() async {
        let bench = ReconcileBench()
        bench.source.put("s1", mode: NotifyMode.none, chats: [("c1", nil)])
        bench.source.put("s2", mode: .all, chats: [("c2", nil)])
        bench.source.setKeys(bench.source.keysNow(of: "s1"), of: "s2")
        await bench.start()
        #expect(bench.node.sentSets.last?.map(\.name.string) == [bench.chat("c2"), bench.mine("c2")])
        // It stays so while the keys of the other can not be had.
        bench.source.fail(.keys("s1"))
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        #expect(bench.node.topics.count == 2)
        #expect(bench.node.topics.allSatisfy { $0.name.string.hasPrefix(bench.chat("c2")) })
        await bench.shutdown()
    }

    // MARK: The node does not answer well

    @Test func roundsThatFailAreRepeatedLaterEachTime() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        let down = FakeNode.Reply.failure(.unreachable(reason: "down"))
        bench.node.script(.subscribeAll, down, down, down)
        await bench.start()
        #expect(await bench.last.error == .node(.unreachable(reason: "down")))
        #expect(await bench.last.result == .failed)
        for (round, wait) in [(2, 1), (3, 2), (4, 4)] {
            await bench.clock.sleepers(2)
            bench.clock.advance(by: .seconds(wait) - .milliseconds(1))
            await bench.clock.sleepers(2)
            #expect(bench.node.sentSets.count == round - 1)
            bench.clock.advance(by: .milliseconds(1))
            await bench.rounds(UInt64(round))
        }
        #expect(await bench.last.isLanded)
        #expect(bench.isInStep)
        await eventually { bench.clock.sleeperCount == 1 }
        await bench.shutdown()
    }

    @Test func aSpaceThatIsNotRegisteredIsSkippedAndComesLaterWithItsTopics() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true)
        bench.source.put("s2", isOwned: true)
        bench.source.put("s3", isOwned: true)
        bench.node.script(
            .createSpace, .failure(.failed(code: 1200, text: "unexpected")), .failure(.refused(.spaceExists))
        )
        await bench.start()
        #expect(
            bench.node.log.map(\.kind) == [.subscriptions, .createSpace, .createSpace, .createSpace, .subscribeAll])
        #expect(await bench.last.unregistered == ["s1"], "one that exists is registered")
        #expect(await bench.last.isLanded)
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        // A node that ignores topics of unregistered spaces gets them once more.
        #expect(bench.node.log.map(\.kind).suffix(2) == [.createSpace, .subscribeAll])
        #expect(await bench.last.unregistered == [])
        bench.reconciler.tokenChanged()
        await bench.rounds(3)
        #expect(bench.node.log.count == 7)
        await bench.shutdown()
    }

    @Test func aNodeThatDoesNotAnswerIsNotAskedForEverySpace() async {
        let bench = ReconcileBench()
        for number in 1...9 { bench.source.put("s\(number)", isOwned: true) }
        bench.node.script(.createSpace, .failure(.deadlineExceeded))
        await bench.start()
        #expect(bench.node.log.map(\.kind) == [.subscriptions, .createSpace, .subscribeAll])
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        // The one that failed comes last.
        let first = bench.source.keysNow(of: "s1")?.spaceKey.publicKey
        #expect(bench.node.calls(.createSpace).count == 10)
        #expect(bench.node.calls(.createSpace).last == first.map(FakeNode.Call.createSpace))
        await bench.shutdown()
    }

    @Test func aRoundEndsAfterItsTime() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        bench.node.script(.subscribeAll, .silence(landing: nil))
        await bench.reconciler.start()
        await bench.clock.sleepers(3)
        bench.clock.advance(by: .seconds(60))
        await bench.rounds(1)
        #expect(await bench.last.error == .budgetExceeded)
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        await bench.rounds(2)
        #expect(bench.isInStep)
        await bench.shutdown()
    }

    @Test func anOldSetThatIsCarriedOutLateIsFollowedByTheNewOne() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: [("c1", nil)])
        bench.node.script(.subscribeAll, .init(error: .interrupted(reason: "cut"), landing: .seconds(20)))
        await bench.start()
        bench.source.setChats([("c1", NotifyMode.none)], of: "s1")
        bench.reconciler.chatModeWritten(in: "s1")
        await bench.rounds(2)
        #expect(bench.node.topics == [])
        #expect(await !bench.last.isLanded)
        // The ticker, the old set and the timer for the second sending.
        await bench.clock.sleepers(3)
        bench.clock.advance(by: .seconds(20))
        await eventually { !bench.node.topics.isEmpty }
        bench.clock.advance(by: .seconds(40))
        await bench.rounds(3)
        #expect(bench.node.topics == [])
        #expect(await bench.last.isLanded)
        await bench.shutdown()
    }

    @Test func aNodeThatLostItsStateIsFoundOutWithinTheHour() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true)
        await bench.start()
        bench.node.loseState()
        for tick in 1...12 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .seconds(300))
            await bench.rounds(UInt64(tick + 1))
        }
        #expect(bench.node.calls(.subscriptions).count == 2)
        #expect(bench.isInStep)
        #expect(bench.node.spaces.count == 1)
        await bench.shutdown()
    }

    @Test func spacesAreRegisteredAgainWithinTheHour() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true, mode: NotifyMode.none)
        await bench.start()
        // Nothing shows in the topics, for there are none.
        bench.node.loseState()
        for tick in 1...12 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .seconds(300))
            await bench.rounds(UInt64(tick + 1))
        }
        #expect(bench.node.calls(.createSpace).count == 2)
        #expect(bench.node.sentSets.isEmpty)
        await bench.shutdown()
    }

    @Test func aNodeThatHoldsWhatItShouldIsAskedOnceAnHour() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        await bench.start()
        #expect(bench.node.calls(.subscriptions).count == 1)
        bench.node.script(.subscriptions, .failure(.unreachable(reason: "down")))
        for tick in 1...24 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .seconds(300))
            await bench.rounds(UInt64(tick + 1))
            #expect(await bench.last.isLanded)
        }
        // At 60 minutes without an answer, so at 65 again; the next time is at 125.
        #expect(bench.node.calls(.subscriptions).count == 3)
        #expect(bench.node.sentSets.count == 1)
        await bench.shutdown()
    }
}
