import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// A store in a folder of its own.
struct TestStore {
    static let now = TestClock.start
    /// No two notifications are the same unless a test says so.
    static let payloads = Payloads()

    let directory: TemporaryDirectory
    let store: SQLiteStore

    init(limits: StoreLimits = .bytes(1 << 30)) async throws {
        directory = try TemporaryDirectory()
        store = try await SQLiteStore.open(
            path: directory.file("node.db"), limits: limits, lanes: [.ios, .android], now: Self.now)
    }

    /// What a process that starts after a crash now would find.
    func afterCrash(_ name: String = "crashed.db") async throws -> SQLiteStore {
        try directory.copyStore("node.db", to: name)
        return try await SQLiteStore.open(path: directory.file(name), lanes: [.ios, .android], now: Self.now)
    }

    /// Registers a device and subscribes its account.
    func add(_ member: Member, token: String, platform: Platform = .ios, to topics: [TopicKey]) async throws {
        let registration = try await store.setToken(
            WireString(token), platform: platform, of: member.caller, at: Self.now, limit: 100, accountLimit: 100
        )
        #expect(registration == .registered)
        try await store.replaceTopics(of: member.identity, by: topics)
    }

    func notification(
        _ topics: [TopicKey], from sender: Member = Member(), isSilent: Bool = false,
        lifetime: Duration = .seconds(3600), payload: [UInt8]? = nil
    ) -> IncomingNotification {
        IncomingNotification(
            topics: topics, sender: sender.identity,
            content: NotificationContent(
                isSilent: isSilent, groupId: "group", message: sender.message(payload ?? Self.payloads.next())),
            acceptedAt: Self.now, expiresAt: Self.now.advanced(by: lifetime), lanes: [.ios, .android]
        )
    }

    func accept(_ notification: IncomingNotification) async throws -> QueuedNotification {
        guard case .queued(let queued) = try await store.accept(notification, limits: .places(1000)) else {
            throw StoreError.closed
        }
        return queued
    }

    /// Matches a notification to the end in one lane.
    func tokens(of queued: QueuedNotification, in lane: Platform = .ios, limit: Int = 100) async throws -> [String] {
        try await Self.matchAll(store, queued, in: lane, limit: limit).map { $0.token.string }
    }

    static func matchAll(
        _ store: SQLiteStore, _ queued: QueuedNotification, in lane: Platform = .ios, limit: Int = 100
    ) async throws -> [Delivery] {
        var deliveries: [Delivery] = []
        while true {
            let match = try await store.match(queued.id, in: lane, limit: limit, now: now)
            deliveries += match.deliveries
            if match.isLast { return deliveries }
        }
    }
}

extension QueueLimits {
    /// As many places for all senders together, and half of those that are free for one.
    static func places(_ count: Int) -> QueueLimits { shared(count, by: 1) }

    /// As many places for all senders together, and a part of those that are free for one.
    static func shared(_ count: Int, by divisor: Int) -> QueueLimits {
        QueueLimits(places: count, shareDivisor: divisor, repeats: RepeatLimits(perSender: 1000, total: 10_000))
    }
}

/// Payloads that are all different.
final class Payloads: Sendable {
    private let count = SystemLock(0)

    func next() -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return Array("payload \(number)".utf8)
    }
}

extension StoreLimits {
    /// A store of so many bytes on a disk with room.
    static func bytes(_ count: Int) -> StoreLimits {
        var limits = StoreLimits()
        (limits.bytes, limits.freeDiskBytes) = (count, 0)
        return limits
    }
}

extension SQLiteStore {
    func replaceTopics(of account: PublicKey, by topics: [TopicKey]) async throws(StoreError) {
        _ = try await replaceTopics(of: account, by: topics, permit: { _ in true })
    }

    func removeTopics(_ topics: [TopicKey], of account: PublicKey) async throws(StoreError) {
        _ = try await removeTopics(topics, of: account, permit: { _ in true })
    }
}
