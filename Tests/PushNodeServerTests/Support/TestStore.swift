import ProtoWire
import PushNode
import SQLiteStorage
import Testing
@testable import PushNodeServer

/// A store in a folder of its own.
struct TestStore {
    static let now = TestClock.start

    let directory: TemporaryDirectory
    let store: SQLiteStore

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await SQLiteStore.open(path: directory.file("node.db"), lanes: [.ios, .android], now: Self.now)
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
        lifetime: Duration = .seconds(3600)
    ) -> IncomingNotification {
        IncomingNotification(
            topics: topics, sender: sender.identity,
            content: NotificationContent(isSilent: isSilent, groupId: "group", message: sender.message([1, 2, 3])),
            expiresAt: Self.now.advanced(by: lifetime), lanes: [.ios, .android]
        )
    }

    func accept(_ notification: IncomingNotification) async throws -> QueuedNotification {
        guard case .queued(let queued) = try await store.accept(notification, limit: 1000) else {
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
