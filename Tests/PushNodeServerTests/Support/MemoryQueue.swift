import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage

@testable import PushNodeServer

/// The queue of a store in memory, for lanes whose every step is under a test's control: notifications for one device.
actor MemoryQueue: NodeStore {
    private struct Row {
        let notification: Int64
        var attempts = 0
        var due: NodeTime?
    }

    private let expiresAt: NodeTime
    private let content = NotificationContent(isSilent: true, groupId: "group", message: nil)
    private var unmatched: Set<Int64> = []
    private var rows: [Int64: Row] = [:]
    private var failures: Int

    /// - Parameters:
    ///   - expiresAt: when every notification expires.
    ///   - failures: how many of the first looks for a due delivery fail.
    init(expiresAt: NodeTime, failures: Int = 0) {
        (self.expiresAt, self.failures) = (expiresAt, failures)
    }

    func queue(_ id: Int64) -> QueuedNotification {
        unmatched.insert(id)
        return QueuedNotification(id: id, sender: SenderTag(rawValue: 1), space: [1])
    }

    /// Deliveries that are not done.
    var left: Int { unmatched.count + rows.count }

    func match(_ notification: Int64, in lane: Platform, limit: Int, now: NodeTime) async throws(StoreError) -> Match {
        guard unmatched.remove(notification) != nil else {
            return Match(content: content, deliveries: [], isLast: true, isExpired: false)
        }
        rows[notification] = Row(notification: notification)
        return Match(
            content: content, deliveries: [delivery(notification, attempts: 0)], isLast: true, isExpired: false)
    }

    func takeDue(in lane: Platform, limit: Int, now: NodeTime) async throws(StoreError) -> DueDeliveries {
        var due = DueDeliveries(deliveries: [], expired: 0, withoutDevice: 0)
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where due.deliveries.count < limit {
            guard let time = row.due, time <= now else { continue }
            guard now < expiresAt else {
                due.expired += 1
                rows[id] = nil
                continue
            }
            rows[id]?.due = nil
            due.deliveries.append((content, delivery(id, attempts: row.attempts)))
        }
        return due
    }

    func nextDue(in lane: Platform) async throws(StoreError) -> NodeTime? {
        guard failures == 0 else {
            failures -= 1
            throw .closed
        }
        return rows.values.compactMap(\.due).min()
    }

    func record(_ results: [DeliveryResult]) async throws(StoreError) {
        for result in results {
            if case .retry(let due) = result.verdict {
                rows[result.delivery.id]?.attempts += 1
                rows[result.delivery.id]?.due = due
            } else {
                rows[result.delivery.id] = nil
            }
        }
    }

    private func delivery(_ id: Int64, attempts: Int) -> Delivery {
        Delivery(
            id: id, notification: id, platform: .ios, token: "phone", attempts: attempts, expiresAt: expiresAt)
    }

    // MARK: What lanes do not use

    func waiting(in lane: Platform) async throws(StoreError) -> [QueuedNotification] { [] }

    func setToken(
        _ token: WireString, platform: Platform, of caller: Caller, at time: NodeTime, limit: Int, accountLimit: Int
    ) async throws(StoreError) -> TokenRegistration { throw .closed }

    func revokeToken(of caller: Caller) async throws(StoreError) { throw .closed }

    func createSpace(
        _ spaceKey: [UInt8], author: PublicKey, at time: UnixTime, limit: Int
    ) async throws(StoreError) -> SpaceCreation { throw .closed }

    func removeSpace(_ spaceKey: [UInt8], author: PublicKey) async throws(StoreError) { throw .closed }

    func topics(of account: PublicKey) async throws(StoreError) -> [TopicKey] { throw .closed }

    func replaceTopics(
        of account: PublicKey, by topics: [TopicKey], permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool { throw .closed }

    func removeTopics(
        _ topics: [TopicKey], of account: PublicKey, permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool { throw .closed }

    func accept(_ notification: IncomingNotification, limits: QueueLimits) async throws(StoreError) -> Acceptance {
        throw .closed
    }

    func statistics() async throws(StoreError) -> StoreStatistics { throw .closed }

    func close() async {}
}
