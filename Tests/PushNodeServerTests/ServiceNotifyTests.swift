import AnySyncWire
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

@Suite struct ServiceNotifyTests {
    private let space = TestSpace()
    private let sender = Member()

    @Test func aLoudNotificationGoesToTheOthers() async throws {
        let service = try await service()
        try await notify(service, .notify, space.topics("chats"))
        #expect(try await service.tokens() == ["other"])
        #expect(service.service.status.accepted == 1)
    }

    @Test func aSilentOneGoesToTheSendersOwnDevices() async throws {
        let service = try await service()
        let topics = Topics([space.topic("chats"), space.topic(sender.address), space.topic(Member().address)])
        try await notify(service, .notifySilent, topics, message: .some(nil))
        #expect(try await service.tokens() == ["sender"])
        // With a message it goes the same way, and brings it.
        try await notify(service, .notifySilent, topics)
        #expect(try await service.tokens() == ["sender"])
    }

    @Test func aSilentOneWithoutTheCallersAddressGoesNowhere() async throws {
        let service = try await service()
        try await notify(service, .notifySilent, space.topics("chats", Member().address), message: nil)
        #expect(service.queued.isEmpty)
        #expect(service.service.status.reachedNobody == 1)
    }

    @Test func whatReachesNobodyIsAnsweredLikeAnyOther() async throws {
        let service = try await service()
        try await notify(service, .notify, TestSpace().topics("chats"))
        try await notify(service, .notify, Topics())
        #expect(service.queued.isEmpty)
        #expect(service.service.status.reachedNobody == 2)
    }

    @Test func theMessagesSignatureMustBeTheCallers() async throws {
        let service = try await service()
        var forged = sender.message([1, 2, 3])
        forged.payload.append(4)
        for message in [forged, Member().message([1]), NotifyRequest.Message()] {
            for rpc in [PushRPC.notify, .notifySilent] {
                // A silent one is checked even when no topic is left of it.
                for topics in [space.topics("chats"), Topics()] {
                    let request = NotifyRequest(topics: topics, message: message, groupId: "")
                    let refusal = await service.refusal(rpc, request, as: sender)
                    #expect(refusal?.reason == .invalidSignature)
                    #expect(refusal?.rpcError.code == 1201)
                }
            }
        }
        #expect(service.queued.isEmpty)
    }

    @Test func topicsAreCheckedBeforeTheMessage() async throws {
        let service = try await service()
        var topics = space.topics("chats")
        topics.topics[0].signature[0] ^= 1
        for message in [nil, NotifyRequest.Message()] {
            let refusal = await service.refusal(
                .notify, NotifyRequest(topics: topics, message: message, groupId: ""), as: sender
            )
            #expect(refusal?.reason == .invalidTopicSignature)
        }
    }

    @Test func aLoudOneNeedsAMessage() async throws {
        let service = try await service()
        let request = NotifyRequest(topics: space.topics("chats"), message: nil, groupId: "")
        let refusal = await service.refusal(.notify, request, as: sender)
        #expect(refusal?.reason == .missingMessage)
        #expect(refusal?.rpcError.code == 0)
        #expect(refusal?.text.contains("no message") == true)
    }

    @Test func theLargestPayloadThatFitsIsTakenAndOneMoreByteIsNot() async throws {
        // providers.md, "Size budget": 344 bytes for what stands beside it, so 3752 of base64.
        let service = try await service()
        let groupId = WireString(String(repeating: "0", count: 64))
        func request(_ count: Int) -> NotifyRequest {
            let message = sender.message([UInt8](repeating: 7, count: count))
            return NotifyRequest(topics: space.topics("chats"), message: message, groupId: groupId)
        }
        try await service.call(.notify, request(2814), as: sender)
        let refusal = await service.refusal(.notify, request(2815), as: sender)
        #expect(refusal?.reason == .notificationTooLarge)
        #expect(refusal?.rpcError.code == 0)
        #expect(refusal?.text.contains("4096") == true && refusal?.text.contains("4100") == true)
        #expect(service.queued.count == 1)
        #expect(try await service.test.store.statistics().devices == 2)
    }

    @Test func theNodesOwnTextsTakeRoom() async throws {
        let service = try await TestService(texts: DefaultTexts(title: "You have a new message", body: "1234"))
        let message = sender.message([UInt8](repeating: 7, count: 2814))
        let groupId = WireString(String(repeating: "0", count: 64))
        let loud = NotifyRequest(topics: space.topics("chats"), message: message, groupId: groupId)
        let refusal = await service.refusal(.notify, loud, as: sender)
        #expect(refusal?.reason == .notificationTooLarge)
        // A silent one has none.
        try await service.call(.notifySilent, loud, as: sender)
    }

    @Test func aSilentOneThatGoesNowhereNeedNotFit() async throws {
        let service = try await service()
        let message = sender.message([UInt8](repeating: 7, count: 5000))
        try await notify(service, .notifySilent, space.topics("chats"), message: message)
        let own = NotifyRequest(topics: space.topics(sender.address), message: message, groupId: "")
        #expect(await service.refusal(.notifySilent, own, as: sender)?.reason == .notificationTooLarge)
    }

    @Test func anEndlessGroupIdOrKeyIdIsRefused() async throws {
        let service = try await service()
        let endless = WireString(bytes: repeatElement(0x61, count: 5000))
        var message = sender.message([1])
        message.keyId = endless
        let requests = [
            NotifyRequest(topics: space.topics("chats"), message: message, groupId: ""),
            NotifyRequest(topics: space.topics("chats"), message: sender.message([1]), groupId: endless),
        ]
        for request in requests {
            #expect(await service.refusal(.notify, request, as: sender)?.reason == .notificationTooLarge)
        }
    }

    @Test func aFullQueueIsAnsweredWithTryLater() async throws {
        var limits = ServiceLimits()
        limits.queuedNotifications = 1
        let service = try await service(limits)
        try await notify(service, .notify, space.topics("chats"))
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([1]), groupId: "")
        let refusal = await service.refusal(.notify, request, as: sender)
        #expect(refusal?.reason == .queueFull)
        #expect(refusal?.rpcError.code == 1200)
    }

    @Test func aStoreThatFailsIsAnsweredWithTryLaterAndReported() async throws {
        let service = try await service()
        await service.test.store.close()
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([1]), groupId: "")
        // What is noted of outcomes is in no store.
        for rpc in PushRPC.allCases where rpc != .outcomes {
            let request: [UInt8] =
                switch rpc {
                case .setToken: SetTokenRequest(platform: .ios, token: "t").encoded()
                case .notify: request.encoded()
                case .notifySilent:
                    NotifyRequest(topics: space.topics(sender.address), message: nil, groupId: "").encoded()
                case .createSpace, .removeSpace:
                    SpaceRequest(
                        spaceKey: space.bytes, accountSignature: space.key.signature(for: sender.address.bytes)
                    ).encoded()
                default: TopicsMessage(topics: space.topics("chats")).encoded()
                }
            let refusal = await service.refusal(rpc.rawValue, request, as: sender)
            #expect(refusal?.reason == .storeFailed)
            #expect(refusal?.rpcError.code == 1200)
        }
        #expect(service.storeFailures == Array(repeating: .closed, count: PushRPC.allCases.count - 1))
    }

    @Test func hostileBytesAreRefusedOrAnsweredButNothingElse() async throws {
        let service = try await service()
        var generator = SplitMix64(state: 7)
        let seeds = [
            NotifyRequest(topics: space.topics("chats"), message: sender.message([1, 2]), groupId: "g").encoded(),
            SetTokenRequest(platform: .android, token: "t").encoded(), [0x0a, 0x00], [],
        ]
        for round in 0..<400 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int(generator.next() % 4) where !bytes.isEmpty {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            if generator.next().isMultiple(of: 3) { bytes.removeLast(min(bytes.count, Int(generator.next() % 8))) }
            for rpc in PushRPC.allCases {
                _ = try? await service.service.handle(rpc.rawValue, request: bytes, caller: sender.caller)
            }
        }
        let status = service.service.status
        let total = status.answered.values.reduce(0, +) + status.refused.values.reduce(0, +)
        #expect(total == UInt64(400 * PushRPC.allCases.count) + 4)
        #expect(status.refused[.malformedRequest, default: 0] > 0)
    }

    @Test func unknownCallsAndMalformedRequestsAreRefused() async throws {
        let service = try await service()
        for name in ["", "/pushproto.Push/Novel", "/pushproto.Push/notify", "Notify", "/other.Push/Notify"] {
            let refusal = await service.refusal(name, [], as: sender)
            #expect(refusal?.reason == .unknownCall)
            #expect(refusal?.rpcError.code == 0 && refusal?.text.isEmpty == false)
        }
        for rpc in PushRPC.allCases {
            let refusal = await service.refusal(rpc.rawValue, [0x0a, 0x05, 0x01], as: sender)
            #expect(refusal?.reason == .malformedRequest)
            #expect(refusal?.rpcError.code == 0 && refusal?.text.isEmpty == false)
        }
        #expect(service.service.status.refused == [.unknownCall: 5, .malformedRequest: UInt64(PushRPC.allCases.count)])
    }

    private func service(_ limits: ServiceLimits = ServiceLimits()) async throws -> TestService {
        let service = try await TestService(limits: limits)
        for (member, token) in [(sender, "sender"), (Member(), "other")] {
            try await service.call(.setToken, SetTokenRequest(platform: .ios, token: WireString(token)), as: member)
            let topics = Topics([space.topic("chats"), space.topic(sender.address)])
            try await service.call(.subscribeAll, TopicsMessage(topics: topics), as: member)
        }
        return service
    }

    private func notify(
        _ service: TestService, _ rpc: PushRPC, _ topics: Topics, message: NotifyRequest.Message?? = .none
    ) async throws {
        let message = message ?? sender.message([1, 2, 3])
        let request = NotifyRequest(topics: topics, message: message, groupId: "group")
        #expect(try await service.call(rpc, request, as: sender) == [])
    }
}

/// A small generator whose numbers a failing test can repeat.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
