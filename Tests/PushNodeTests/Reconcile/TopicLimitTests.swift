import AnySyncNet
import AnySyncWire
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// Accounts with thousands of chats that have modes of their own.
@Suite(.timeLimit(.minutes(2))) struct TopicLimitTests {
    private static func chats(_ count: Int) -> [(String, NotifyMode?)] {
        (0..<count).map { ("chat-\($0)", NotifyMode.all) }
    }

    @Test func thousandsOfChatsReachANode() async throws {
        let node = try await TestNode()
        let account = SigningKey()
        let loop = try EventLoop()
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "client")
        let endpoint = try Endpoint(eventLoop: loop, identity: identity)
        let dialer = Dialer(endpoint, transports: try TestTransports.make(endpoint))
        var limits = PushNodeClient.Limits()
        limits.callTimeout = .seconds(60)
        let client = PushNodeClient(account: account, node: await node.location, dialer: dialer, limits: limits)
        let source = FakeSource()
        source.put("many", chats: Self.chats(2600))
        var timing = ReconcileTiming()
        timing.roundBudget = .seconds(60)
        let reconciler = TopicReconciler(identity: account.publicKey, source: source, node: client, timing: timing)
        await reconciler.start()
        await eventually { await reconciler.status.last?.isLanded == true }
        #expect(Set(try await client.subscriptions()) == source.desired(for: account.publicKey))
        #expect(await node.status?.node.store?.topics == 5200)
        await reconciler.shutdown()
        await client.close()
        await loop.shutdown()
        await node.stop()
    }

    @Test func whatIsMoreThanANodeTakesIsLeftOutAndTheRestGoes() async throws {
        let bench = ReconcileBench()
        bench.source.put("a-crowded", chats: Self.chats(4200))
        bench.source.put("b-small", mode: .all)
        await bench.start()
        let sent = try #require(bench.node.sentSets.first)
        #expect(sent.count == TopicLimits().count)
        #expect(bench.names(of: "b-small", in: sent) == ["chats", bench.me])
        let leftOut = 8400 - (TopicLimits().count - 2)
        #expect(await bench.last.leftOut.map(\.spaceId) == ["a-crowded"])
        #expect(await bench.last.leftOut.map(\.reason) == [.tooManyTopics(leftOut: leftOut)])
        // It is as good as it gets, and is not tried again and again.
        #expect(await bench.last.isLanded)
        bench.reconciler.tokenChanged()
        await bench.rounds(2)
        #expect(await bench.last.result == .unchanged)
        #expect(bench.node.sentSets.count == 1)
        await bench.shutdown()
    }

    @Test func whateverATopicLimitAllowsFitsAMessage() {
        let limits = TopicLimits()
        #expect(limits.requestBytes <= DRPCLimits().maximumMessageSize)
        // The longest that clients make, as many as there may be.
        let name = TopicName.mention(of: SigningKey().publicKey, in: GroupId(chatId: "chat"))
        let topic = Topic(
            spaceKey: [UInt8](repeating: 1, count: 32), topic: name, signature: [UInt8](repeating: 2, count: 64))
        #expect(limits.count * TopicLimits.byteCount(spaceKey: topic.spaceKey, name: name) <= limits.bytes)
        let request = TopicsMessage(topics: Topics(Array(repeating: topic, count: limits.count))).encoded()
        #expect(request.count <= limits.requestBytes)
        // And the longest names that a node takes, as many as their bytes allow.
        let long = Topic(
            spaceKey: topic.spaceKey, topic: WireString(String(repeating: "x", count: 256)), signature: topic.signature)
        let count = limits.bytes / TopicLimits.byteCount(spaceKey: long.spaceKey, name: long.topic)
        let longest = TopicsMessage(topics: Topics(Array(repeating: long, count: count))).encoded()
        #expect(longest.count <= limits.requestBytes)
    }
}
