import AnySyncWire
import ProtoWire
import PushAPI
import PushNode
import Testing

@testable import PushNodeServer

@Suite struct ServiceTopicsTests {
    private let space = TestSpace()
    private let member = Member()

    @Test(arguments: [PushRPC.subscribe, .subscribeAll])
    func subscribingReplacesTheWholeSet(_ rpc: PushRPC) async throws {
        let service = try await TestService()
        let other = TestSpace()
        #expect(try await service.topics(of: member) == [])
        try await service.call(rpc, TopicsMessage(topics: space.topics("chats", "a")), as: member)
        let next = Topics([other.topic("b"), space.topic("chats"), other.topic("b")])
        #expect(try await service.call(rpc, TopicsMessage(topics: next), as: member) == [])
        let expected = [(other, "b"), (space, "chats")].map { Topic(spaceKey: $0.bytes, topic: WireString($1)) }
        #expect(try await service.topics(of: member) == expected)
        // Other accounts have their own; the account's other devices the same.
        #expect(try await service.topics(of: Member()) == [])
        #expect(try await service.topics(of: member.onAnotherDevice()) == expected)
        try await service.call(rpc, TopicsMessage(topics: Topics()), as: member)
        #expect(try await service.topics(of: member) == [])
    }

    @Test func anAbsentFieldIsAnEmptySet() async throws {
        let service = try await TestService()
        for rpc in [PushRPC.subscribe, .subscribeAll] {
            try await service.call(.subscribeAll, TopicsMessage(topics: space.topics("a")), as: member)
            #expect(try await service.service.handle(rpc.rawValue, request: [], caller: member.caller) == [])
            #expect(try await service.topics(of: member) == [])
        }
        for rpc in [PushRPC.unsubscribe, .notifySilent] {
            #expect(try await service.service.handle(rpc.rawValue, request: [], caller: member.caller) == [])
        }
        let message = NotifyRequest(topics: nil, message: member.message([1]), groupId: "")
        try await service.call(.notify, message, as: member)
        #expect(service.queued.isEmpty)
    }

    @Test func unsubscribingTakesOnlyWhatIsNamed() async throws {
        let service = try await TestService()
        try await service.call(.subscribe, TopicsMessage(topics: space.topics("a", "b", "c")), as: member)
        try await service.call(.unsubscribe, TopicsMessage(topics: space.topics("b", "z")), as: member)
        try await service.call(.unsubscribe, TopicsMessage(topics: TestSpace().topics("a")), as: member)
        #expect(try await service.topics(of: member).map(\.topic) == ["a", "c"])
        try await service.call(.unsubscribe, TopicsMessage(topics: Topics()), as: member)
        #expect(try await service.topics(of: member).map(\.topic) == ["a", "c"])
    }

    @Test func whatTheAccountHoldsStaysByName() async throws {
        let service = try await TestService()
        try await service.call(.subscribe, TopicsMessage(topics: space.topics("a", "b")), as: member)
        var topics = TestSpace().topics("new")
        topics.topics.append(Topic(spaceKey: space.bytes, topic: "b", signature: Topic.held))
        try await service.call(.subscribeAll, TopicsMessage(topics: topics), as: member)
        #expect(try await service.topics(of: member).map(\.topic) == ["new", "b"])
        // Nobody gets a topic so that the account does not hold.
        topics.topics[1].topic = "a"
        let refusal = await service.refusal(PushRPC.subscribeAll.rawValue, request(.subscribeAll, topics), as: member)
        #expect(refusal?.rpcError.code == 1202)
        #expect(try await service.topics(of: member).map(\.topic) == ["new", "b"])
    }

    @Test(arguments: [PushRPC.subscribe, .subscribeAll, .unsubscribe, .notify, .notifySilent])
    func oneBadTopicRefusesTheWholeRequest(_ rpc: PushRPC) async throws {
        let service = try await TestService()
        try await service.call(.subscribe, TopicsMessage(topics: space.topics("kept")), as: member)
        var forged = space.topics("kept", "chats", "other")
        forged.topics[1].signature[5] ^= 1
        var borrowed = space.topics("kept", "chats")
        borrowed.topics[0].signature = borrowed.topics[1].signature
        var unsigned = space.topics("kept")
        unsigned.topics[0].signature = []
        var long = space.topics("kept")
        long.topics[0].signature.append(0)
        for topics in [forged, borrowed, unsigned, long] {
            let refusal = await service.refusal(rpc.rawValue, request(rpc, topics), as: member)
            #expect(refusal?.reason == .invalidTopicSignature)
            #expect(refusal?.rpcError.code == 1202)
        }
        #expect(try await service.topics(of: member).map(\.topic) == ["kept"])
        #expect(service.queued.isEmpty)
    }

    @Test(arguments: [PushRPC.subscribe, .subscribeAll, .unsubscribe, .notify, .notifySilent])
    func aSpaceKeyThatIsNoPointIsRefused(_ rpc: PushRPC) async throws {
        let service = try await TestService()
        for key in [[], notAPoint, space.bytes + [0]] {
            var topics = space.topics("a", "b")
            topics.topics[1].spaceKey = key
            let refusal = await service.refusal(rpc.rawValue, request(rpc, topics), as: member)
            #expect(refusal?.reason == .invalidSpaceKey)
            #expect(refusal?.rpcError.code == 0)
            #expect(refusal?.text.contains("topic 1") == true)
        }
    }

    @Test(arguments: [PushRPC.subscribe, .subscribeAll, .unsubscribe, .notify, .notifySilent])
    func topicsAreBoundedBeforeTheyAreChecked(_ rpc: PushRPC) async throws {
        var limits = ServiceLimits()
        limits.topicsPerAccount = 3
        limits.topicsPerNotification = 3
        limits.topicNameBytes = 5
        let service = try await TestService(limits: limits)
        let fits = space.topics("a", "b", "12345")
        _ = try await service.service.handle(rpc.rawValue, request: request(rpc, fits), caller: member.caller)
        for topics in [space.topics("a", "b", "c", "d"), space.topics("123456")] {
            let refusal = await service.refusal(rpc.rawValue, request(rpc, topics), as: member)
            #expect(refusal?.reason == .limitExceeded)
            #expect(refusal?.rpcError.code == 0)
        }
        #expect(service.service.status.topicMisses == 3)
    }

    @Test func aFloodOfEmptyTopicsIsCountedBeforeAnyIsBuilt() async throws {
        let service = try await TestService()
        // Half a million topics of two bytes each, in two lists.
        let list: [UInt8] = [0x0a, 0xc0, 0x84, 0x3d] + repeatElement([0x0a, 0x00], count: 500_000).joined()
        for rpc in [PushRPC.subscribe, .subscribeAll, .unsubscribe, .notify, .notifySilent] {
            let refusal = await service.refusal(rpc.rawValue, list + [0x0a, 0x02, 0x0a, 0x00], as: member)
            #expect(refusal?.reason == .limitExceeded)
            #expect(refusal?.text.contains("500001 topics") == true)
        }
    }

    @Test func aTopicThatWasGoodIsNotCheckedAgain() async throws {
        let service = try await TestService()
        let topics = space.topics("chats", "chats/a", "chats/b", "chats/c")
        try await service.call(.subscribe, TopicsMessage(topics: topics), as: member)
        try await service.call(.subscribe, TopicsMessage(topics: topics), as: Member())
        let status = service.service.status
        #expect(status.topicMisses == 4 && status.topicHits == 4 && status.topicsRemembered == 4)
        // A bad signature is not remembered as good, nor as bad.
        var forged = topics
        forged.topics[0].signature[0] ^= 1
        for _ in 0..<2 {
            let refusal = await service.refusal(.subscribe, TopicsMessage(topics: forged), as: member)
            #expect(refusal?.reason == .invalidTopicSignature)
        }
        #expect(service.service.status.topicsRemembered == 4)
    }

    private func request(_ rpc: PushRPC, _ topics: Topics) -> [UInt8] {
        switch rpc {
        case .notify, .notifySilent:
            NotifyRequest(topics: topics, message: member.message([1, 2]), groupId: "g").encoded()
        default: TopicsMessage(topics: topics).encoded()
        }
    }
}
