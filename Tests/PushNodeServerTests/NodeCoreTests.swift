import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import TestSupport
import Testing

@testable import PushNodeServer

@Suite(.timeLimit(.minutes(5))) struct NodeCoreTests {
    private let directory: TemporaryDirectory
    private let space = TestSpace()
    private let sender = Member()

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func fromTheCallToThePhone() async throws {
        let spool = try SpoolForwarder(directory: directory.path, texts: DefaultTexts(), clock: TestClock())
        let node = try await NodeCore.start(configuration([.ios: spool, .android: spool]))
        let phones: [(Member, Platform, String)] = [
            (sender, .ios, "sender"), (Member(), .ios, "iphone"), (Member(), .android, "droid"),
        ]
        for (member, platform, token) in phones {
            try await register(member, token, platform, at: node)
        }
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([1, 2]), groupId: "g")
        try await call(.notify, request, sender, at: node)
        let silent = NotifyRequest(topics: space.topics(sender.address), message: nil, groupId: "g")
        try await call(.notifySilent, silent, sender, at: node)
        await node.stop(drain: .seconds(10))
        let text = String(decoding: try #require(FileManager.default.contents(atPath: spoolPath)), as: UTF8.self)
        let lines = text.split(separator: "\n").sorted()
        #expect(lines.count == 3)
        let expected = [
            ["\"id\":1,", "android", "droid"], ["\"id\":1,", "ios", "iphone"], ["\"id\":2,", "silent", "sender"],
        ]
        for (line, parts) in zip(lines, expected) {
            #expect(parts.allSatisfy { line.contains($0) }, "\(line)")
        }
    }

    @Test func whatIsNotDeliveredIsThereAfterTheNextStart() async throws {
        let events = EventLog()
        var configuration = configuration([.ios: RecordingForwarder { _ in .retry(after: nil) }])
        configuration.onEvent = events.add
        var node = try await NodeCore.start(configuration)
        try await register(Member(), "phone", .ios, at: node)
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([7]), groupId: "g")
        try await call(.notify, request, sender, at: node)
        await node.stop(drain: .seconds(10))
        await node.stop(drain: .seconds(10))
        let clock = TestClock()
        clock.clock.advance(by: .seconds(60))
        let forwarder = RecordingForwarder()
        configuration.forwarders = [.ios: forwarder]
        configuration.clock = clock
        node = try await NodeCore.start(configuration)
        await forwarder.tries(1)
        await node.stop(drain: .seconds(10))
        #expect(forwarder.tokens == ["phone"])
        #expect(forwarder.entries.first?.content.message?.payload == [7])
        #expect(forwarder.entries.first?.delivery.attempts == 1)
        #expect(
            events.events.map { "\($0)" } == [
                "push node started, 0 notifications in the queue",
                "push node stopped, 1 notifications stay in the queue",
                "push node started, 1 notifications in the queue",
                "push node stopped, 0 notifications stay in the queue",
            ]
        )
    }

    @Test func stoppingWaitsNoLongerThanItMay() async throws {
        let clock = TestClock()
        let forwarder = RecordingForwarder { _ in
            try? await Task.sleep(for: .seconds(600))
            return .retry(after: nil)
        }
        var configuration = configuration([.ios: forwarder])
        configuration.clock = clock
        let node = try await NodeCore.start(configuration)
        try await register(Member(), "phone", .ios, at: node)
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([7]), groupId: "g")
        try await call(.notify, request, sender, at: node)
        await forwarder.tries(1)
        let stopping = Task { await node.stop(drain: .seconds(5)) }
        // The node's watch sleeps beside the drain.
        await clock.clock.sleepers(2)
        clock.clock.advance(by: .seconds(5))
        await stopping.value
        #expect(await node.status.store == nil)
    }

    @Test func theStatusCountsWhatHappened() async throws {
        let forwarder = RecordingForwarder()
        let node = try await NodeCore.start(configuration([.ios: forwarder]))
        try await register(Member(), "phone", .ios, at: node)
        let request = NotifyRequest(topics: space.topics("chats"), message: sender.message([7]), groupId: "g")
        try await call(.notify, request, sender, at: node)
        await forwarder.tries(1)
        let status = await node.status
        #expect(status.service.answered == [.setToken: 1, .subscribeAll: 1, .notify: 1])
        #expect(status.service.accepted == 1 && status.service.topicMisses == 2 && status.service.topicHits == 1)
        #expect(status.lanes.keys.map(\.rawValue) == [0])
        #expect(status.store?.devices == 1 && status.store?.topics == 2)
        await node.stop(drain: .seconds(10))
    }

    @Test func aConfigurationThatCanNotWorkIsRefused() async throws {
        var configuration = configuration([:])
        await #expect(throws: NodeError.noForwarder) { try await NodeCore.start(configuration) }
        configuration = self.configuration([.ios: RecordingForwarder()])
        configuration.texts.imageURL = "not a url"
        await #expect(throws: NodeError.invalidImageURL("not a url")) { try await NodeCore.start(configuration) }
        configuration.texts = DefaultTexts(title: String(repeating: "x", count: 300))
        await #expect(throws: NodeError.textsTooLong(limit: FCMMessage.roomForTexts, found: 300)) {
            try await NodeCore.start(configuration)
        }
        configuration.texts = DefaultTexts()
        configuration.storePath = "/nonexistent/node.db"
        await #expect {
            try await NodeCore.start(configuration)
        } throws: { error in
            if case .store(.cannotOpen) = error as? NodeError { true } else { false }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("node.db")))
    }

    @Test func eventsOfOneKindAreHeldBack() {
        let log = EventLog()
        let clock = TestClock()
        let throttle = EventThrottle(interval: .seconds(10), clock: clock, report: log.add)
        for _ in 0..<3 {
            throttle.pass(.storeFailed(.closed))
            throttle.pass(.storeFailed(.full(path: "p")))
            throttle.pass(.forwarderMisconfigured(.ios))
            throttle.pass(.forwarderMisconfigured(.android))
            clock.clock.advance(by: .seconds(5))
        }
        #expect(log.events.count == 6)
    }

    private var spoolPath: String { directory.file(SpoolForwarder.fileName) }

    private func configuration(_ forwarders: [Platform: any Forwarder]) -> NodeConfiguration {
        var configuration = NodeConfiguration(storePath: directory.file("node.db"), forwarders: forwarders)
        configuration.clock = TestClock()
        configuration.random = { 0 }
        return configuration
    }

    private func register(_ member: Member, _ token: String, _ platform: Platform, at node: NodeCore) async throws {
        try await call(.setToken, SetTokenRequest(platform: platform, token: WireString(token)), member, at: node)
        let topics = Topics([space.topic("chats"), space.topic(member.address)])
        try await call(.subscribeAll, TopicsMessage(topics: topics), member, at: node)
    }

    private func call(_ rpc: PushRPC, _ request: some PushMessage, _ member: Member, at node: NodeCore) async throws {
        let answer = try await node.service.handle(rpc.rawValue, request: request.encoded(), caller: member.caller)
        #expect(answer == [])
    }
}
