import ProtoWire
import PushAPI
import PushCrypto
import TestSupport
import Testing

@testable import PushNode

/// What the node holds for another device of the account, and what it has lost.
@Suite(.timeLimit(.minutes(5))) struct OtherDeviceTests {
    private let others: Set<SubscribedTopic>

    init() {
        let keys = FakeSource.freshKeys()
        others = Set(
            ["chats", "me"].map {
                SubscribedTopic(spaceKey: keys.spaceKey.publicKey.rawRepresentation, name: $0)
            })
    }

    @Test func aDeviceWithoutSpacesReplacesNothing() async {
        let bench = ReconcileBench()
        bench.node.hold(others)
        await bench.start()
        #expect(bench.node.topics == others)
        #expect(bench.node.log == [.subscriptions])
        #expect(await bench.last.others == 2)
        #expect(await bench.last.isLanded)
        await bench.shutdown()
    }

    @Test func topicsOfSpacesThatAreNotHereStay() async {
        let bench = ReconcileBench()
        bench.node.hold(others)
        bench.source.put("s1")
        await bench.start()
        #expect(bench.node.topics == bench.source.desired(for: bench.account.publicKey).union(others))
        #expect(await bench.last.result == .sent)
        bench.source.setMode(.mentions, of: "s1")
        bench.reconciler.spaceModeWritten()
        await bench.rounds(2)
        #expect(bench.node.calls(.unsubscribe).count == 1, "what is only taken away needs no word of the others")
        bench.source.setMode(.all, of: "s1")
        bench.reconciler.spaceModeWritten()
        await bench.rounds(3)
        #expect(bench.node.topics == bench.source.desired(for: bench.account.publicKey).union(others))
        #expect(bench.node.sentSets.isEmpty)
        #expect(await bench.last.othersReplaced == 0)
        await bench.shutdown()
    }

    @Test func aNodeThatCanNotKeepThemIsToldAllTheSameAndTheStatusSaysSo() async {
        let bench = ReconcileBench()
        bench.node.hold(others)
        bench.source.put("s1")
        bench.node.script(.keepingAll, .failure(.refused(.invalidTopicSignature)))
        await bench.start()
        #expect(bench.isInStep)
        #expect(await bench.last.othersReplaced == 2)
        #expect(await bench.last.isLanded)
        await bench.shutdown()
    }

    @Test func whatTheOtherDeviceChangesMeanwhileIsReadAnew() async {
        let bench = ReconcileBench()
        bench.node.hold(others)
        bench.source.put("s1")
        let more = SubscribedTopic(spaceKey: [UInt8](repeating: 7, count: 32), name: "chats")
        let isFirst = Once()
        bench.node.observe { [weak node = bench.node] call in
            if call.kind == .keepingAll, isFirst.first() { node?.hold([more]) }
        }
        bench.node.script(.keepingAll, .failure(.refused(.invalidTopicSignature)))
        await bench.start()
        #expect(bench.node.topics == bench.source.desired(for: bench.account.publicKey).union(others).union([more]))
        #expect(await bench.last.othersReplaced == 0)
        await bench.shutdown()
    }

    @Test func topicsOfASpaceThatWasLeftGo() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isActive: false)
        let key = bench.source.keysNow(of: "s1")?.spaceKey.publicKey
        let left = SubscribedTopic(spaceKey: key?.rawRepresentation ?? [], name: "chats")
        bench.node.hold(others.union([left]))
        await bench.start()
        #expect(bench.node.topics == others)
        await bench.shutdown()
    }

    @Test func othersTakeTheirPartOfTheRoom() async {
        let bench = ReconcileBench()
        let key = [UInt8](repeating: 7, count: 32)
        bench.node.hold(
            Set((0..<TopicLimits().count - 3).map { SubscribedTopic(spaceKey: key, name: WireString("t\($0)")) }))
        bench.source.put("s1", chats: [("c1", .all), ("c2", .all)])
        await bench.start()
        #expect(bench.node.topics.count == TopicLimits().count)
        #expect(await bench.last.leftOut.map(\.reason) == [.tooManyTopics(leftOut: 1)])
        await bench.shutdown()
    }

    // MARK: A node that lost its data

    @Test func aNewConnectionFindsOutWhatANodeHasLost() async {
        let token = DeviceToken(platform: .ios, token: "t")
        let bench = ReconcileBench(token: token)
        bench.source.put("s1", isOwned: true)
        await bench.start()
        bench.node.loseState()
        let number = bench.node.reconnect()
        bench.tokens?.nodeConnected(number)
        bench.reconciler.nodeConnected(number)
        // The clock stands: nothing waits for a time.
        await eventually { bench.isInStep && bench.node.token == token && bench.node.spaces.count == 1 }
        await bench.shutdown()
    }

    @Test func aNewConnectionToANodeThatLostNothingSendsNothing() async {
        let bench = ReconcileBench()
        bench.source.put("s1", isOwned: true)
        await bench.start()
        bench.reconciler.nodeConnected(bench.node.reconnect())
        await bench.rounds(2)
        #expect(bench.node.log.map(\.kind) == [.subscriptions, .createSpace, .subscribeAll, .subscriptions])
        #expect(await bench.last.isLanded)
        await bench.shutdown()
    }

    @Test func whateverSomebodyFindsMissingIsBroughtWithTheTokenAndTheSpaces() async {
        let token = DeviceToken(platform: .ios, token: "t")
        let bench = ReconcileBench(token: token)
        bench.source.put("s1", isOwned: true)
        await bench.start()
        await bench.reconciler.noteHeld(Array(bench.node.topics))
        for _ in 0..<50 { await Task.yield() }
        #expect(await bench.reconciler.status.rounds == 1)
        bench.node.loseState()
        await bench.reconciler.noteHeld([])
        await eventually { bench.isInStep && bench.node.token == token && bench.node.spaces.count == 1 }
        await bench.shutdown()
    }

    @Test func aRoundsBackoffEndsWithTheConnection() async {
        let bench = ReconcileBench()
        bench.source.put("s1")
        bench.node.script(.subscriptions, .failure(.unreachable(reason: "down")))
        await bench.start()
        #expect(await bench.last.result == .failed)
        bench.reconciler.nodeConnected(bench.node.reconnect())
        await bench.rounds(2)
        #expect(bench.isInStep)
        #expect(bench.clock.now.offset == .zero)
        await bench.shutdown()
    }

    @Test func mutingOneOfManyChatsSaysNoMoreThanThat() async {
        let bench = ReconcileBench()
        bench.source.put("s1", chats: (0..<600).map { ("c\($0)", NotifyMode.all) })
        await bench.start()
        bench.source.setChats([("c0", NotifyMode.none)] + (1..<600).map { ("c\($0)", NotifyMode.all) }, of: "s1")
        bench.reconciler.chatModeWritten(in: "s1")
        await bench.rounds(2)
        guard case .unsubscribe(let gone) = bench.node.log.last else { return _ = Issue.record("not unsubscribed") }
        #expect(Set(gone.map(\.name.string)) == [bench.chat("c0"), bench.mine("c0")])
        #expect(bench.isInStep)
        await bench.shutdown()
    }
}
