import Locks
import ProtoWire
import PushAPI
import PushNode

/// A host's outbox in memory, which outlives the queues of a test.
final class MemoryOutbox: NotificationOutbox {
    struct Broken: Error {}

    fileprivate struct State {
        var waiting: [WaitingNotification] = []
        var later: [OutgoingNotification] = []
        var nextId: Int64 = 1
        var lost: [String] = []
        var isBroken = false
        var exchanges = 0
        var largest = 0
    }

    private let state = SystemLock(State())

    /// What waits, as text: the chat and the number, and the tries.
    var waiting: [String] {
        state.withLock { state in state.waiting.map { "\($0.notification.label)/\($0.attempts)" } }
    }
    var lost: [String] { state.withLock { $0.lost } }
    var exchanges: Int { state.withLock { $0.exchanges } }
    /// The most notifications that one exchange gave.
    var largest: Int { state.withLock { $0.largest } }

    /// The host writes a notification.
    func write(_ notification: OutgoingNotification, attempts: Int = 0, age: Duration = .zero) {
        state.withLock { state in
            state.waiting.append(
                WaitingNotification(id: state.nextId, notification: notification, attempts: attempts, age: age))
            state.nextId += 1
        }
    }

    /// The host holds one back until somebody is in a hurry.
    func hold(_ notification: OutgoingNotification) {
        state.withLock { $0.later.append(notification) }
    }

    func breakDown(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

    /// Time passes while nothing runs.
    func age(by time: Duration) {
        state.withLock { state in
            state.waiting = state.waiting.map {
                WaitingNotification(
                    id: $0.id, notification: $0.notification, attempts: $0.attempts, age: $0.age + time,
                    sinceTry: $0.sinceTry.map { $0 + time })
            }
        }
    }

    func exchange(
        _ outcomes: [OutboxOutcome], after id: Int64, limit: Int, isHurried: Bool
    ) async throws -> OutboxPage {
        // The host's store has its turn.
        await Task.yield()
        return try state.withLock { state in
            state.exchanges += 1
            if state.isBroken { throw Broken() }
            for outcome in outcomes { state.settle(outcome) }
            if isHurried {
                for notification in state.later {
                    state.waiting.append(
                        WaitingNotification(id: state.nextId, notification: notification, attempts: 0, age: .zero))
                    state.nextId += 1
                }
                state.later = []
            }
            let page = state.waiting.filter { $0.id > id }.prefix(limit)
            state.largest = max(state.largest, page.count)
            let losses = state.lost.last.map {
                NotificationLosses(count: UInt64(state.lost.count), lastReason: $0, sinceLast: .zero)
            }
            return OutboxPage(waiting: Array(page), hasMore: limit > 0 && page.count == limit, losses: losses)
        }
    }
}

extension MemoryOutbox.State {
    fileprivate mutating func settle(_ outcome: OutboxOutcome) {
        guard let index = waiting.firstIndex(where: { $0.id == outcome.id }) else { return }
        let row = waiting[index]
        switch outcome.result {
        case .sent: waiting.remove(at: index)
        case .tried(let attempts):
            waiting[index] = WaitingNotification(
                id: row.id, notification: row.notification, attempts: attempts, age: row.age, sinceTry: .zero)
        case .givenUp(let reason):
            waiting.remove(at: index)
            lost.append(reason)
        }
    }
}

extension OutgoingNotification {
    /// The chat and the number of a test's notification.
    var label: String { request.groupId.string + (request.message?.keyId.string ?? "") }

    /// A test's notification.
    static func numbered(_ chat: String, _ number: Int) -> OutgoingNotification {
        let message = NotifyRequest.Message(keyId: WireString("\(number)"))
        return OutgoingNotification(
            kind: .normal, request: NotifyRequest(topics: Topics(), message: message, groupId: WireString(chat)))
    }
}
