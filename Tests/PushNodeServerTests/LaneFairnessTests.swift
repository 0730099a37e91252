import ProtoWire
import PushAPI
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// What an honest sender has of a lane beside one that has made itself thousands of spaces.
@Suite(.timeLimit(.minutes(2))) struct LaneFairnessTests {
    private let flooder = Member()
    private let honest = Member()
    private let chat = TestSpace()

    @Test func anHonestSendersDeliveriesComeInTimeBesideThreeThousandSpaces() async throws {
        let spaces = 3000
        let gate = Gate()
        var limits = LaneLimits()
        limits.concurrentDeliveries = 16
        limits.matchedAtOnce = 16
        let lane = try await TestLane(
            limits,
            RecordingForwarder { _ in
                await gate.pass()
                return .delivered
            })
        let topics = (0..<spaces).map { TopicKey(spaceKey: Self.key($0), name: "chats") }
        try await lane.test.add(Member(), token: "flood", to: topics)
        for phone in 0..<7 { try await lane.test.add(Member(), token: "honest-\(phone)", to: [chat.key("chats")]) }
        try await send(topics.map { [$0] }, from: flooder, lane)
        try await send(Array(repeating: [chat.key("chats")], count: 46), from: honest, lane)
        gate.open()
        await lane.tries(spaces + 322)
        await lane.finish()
        let tokens = lane.forwarder.tokens
        #expect(tokens.count == spaces + 322)
        let places = tokens.indices.filter { tokens[$0].hasPrefix("honest") }
        #expect(places.count == 322)
        // Two senders: with half of the work each, the last of its deliveries comes after as many of the other's.
        #expect(places.last.map { $0 < 2 * 322 + 64 } == true)
    }

    @Test func dueDeliveriesTakeTurnsBySender() async throws {
        let test = try await TestStore()
        for phone in 0..<40 { try await test.add(Member(), token: "phone-\(phone)", to: [chat.key("chats")]) }
        func fail(_ count: Int, from sender: Member, due: NodeTime) async throws {
            for _ in 0..<count {
                let queued = try await test.accept(test.notification([chat.key("chats")], from: sender))
                let deliveries = try await TestStore.matchAll(test.store, queued)
                try await test.store.record(deliveries.map { DeliveryResult(delivery: $0, verdict: .retry(at: due)) })
            }
        }
        let now = TestStore.now
        try await fail(25, from: flooder, due: now)
        try await fail(1, from: honest, due: now.advanced(by: .milliseconds(1)))
        let own = try await test.store.waiting(in: .android).last?.id
        let taken = try await test.store.takeDue(in: .ios, limit: 80, now: now.advanced(by: .seconds(1)))
        #expect(taken.deliveries.count == 80)
        #expect(taken.deliveries.count { $0.delivery.notification == own } == 40)
        // The rest follows, and nothing is left.
        var rest = 0
        while let due = try await test.store.nextDue(in: .ios), due <= now.advanced(by: .seconds(1)) {
            rest += try await test.store.takeDue(in: .ios, limit: 80, now: now.advanced(by: .seconds(1))).deliveries
                .count
        }
        #expect(rest == 26 * 40 - 80)
    }

    private static func key(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 7, count: 30) + [UInt8(number >> 8), UInt8(number & 0xff)]
    }

    /// Queues notifications, many in one commit, and hands them to the lane in their order.
    private func send(_ topics: [[TopicKey]], from sender: Member, _ lane: TestLane) async throws {
        let queued = try await withThrowingTaskGroup(of: QueuedNotification?.self) { group in
            for topics in topics {
                var notification = lane.test.notification(topics, from: sender)
                notification.lanes = [.ios]
                group.addTask { [notification] in
                    let limits = QueueLimits.shared(100_000, by: 1)
                    guard case .queued(let queued) = try await lane.test.store.accept(notification, limits: limits)
                    else {
                        return nil
                    }
                    return queued
                }
            }
            return try await group.reduce(into: [QueuedNotification]()) { list, queued in
                if let queued { list.append(queued) }
            }
        }
        #expect(queued.count == topics.count)
        for notification in queued.sorted(by: { $0.id < $1.id }) { await lane.lane.add(notification) }
    }
}
