import MachineTime
import PushAPI
import PushNode
import SQLiteStorage

/// An account's outbox as push reads it.
struct AccountOutbox: NotificationOutbox {
    private let store: AccountStore

    /// - Parameter store: where it is.
    init(_ store: AccountStore) {
        self.store = store
    }

    func exchange(
        _ outcomes: [OutboxOutcome], after id: Int64, limit: Int, isHurried: Bool
    ) async throws -> OutboxPage {
        let found = try await store.exchangeOutbox(outcomes, after: id, limit: limit, isHurried: isHurried)
        // Off the store's thread, whose turns are scarce.
        let waiting = found.rows.map { (id: $0.id, notification: WaitingNotification($0)) }
        let damaged = waiting.filter { $0.notification == nil }
        if !damaged.isEmpty {
            let losses = damaged.map { OutboxOutcome(id: $0.id, .givenUp(reason: "its row can not be read")) }
            _ = try await store.exchangeOutbox(losses, after: .max, limit: 0, isHurried: false)
        }
        return OutboxPage(
            waiting: waiting.compactMap(\.notification), hasMore: found.rows.count == limit && limit > 0,
            next: found.next, losses: found.losses)
    }
}

extension WaitingNotification {
    /// A notification from its row; `nil` when that makes no sense.
    fileprivate init?(_ row: OutboxTable.Row) {
        guard let kind = OutgoingNotification.Kind(stored: row.kind),
            let request = try? NotifyRequest(bytes: row.request)
        else { return nil }
        self.init(
            id: row.id, notification: OutgoingNotification(kind: kind, request: request), attempts: row.attempts,
            age: row.age, sinceTry: row.sinceTry)
    }
}

extension AccountStore {
    /// What an exchange finds.
    struct OutboxFindings: Sendable {
        var rows: [OutboxTable.Row] = []
        var next: Duration?
        var losses: NotificationLosses?
    }

    // Readings that are composed in one transaction.
    private static let readingPage = 64

    /// See `NotificationOutbox.exchange`.
    func exchangeOutbox(
        _ outcomes: [OutboxOutcome], after id: Int64, limit: Int, isHurried: Bool
    ) async throws -> OutboxFindings {
        guard let outbox else { return OutboxFindings() }
        let due = try read { connection in
            try ReadingTable(connection: connection, now: outbox.now())
                .due(isHurried: isHurried, limit: Self.readingPage)
        }
        for spaceId in Set(due.map(\.reading.spaceId)) { try await prepareLog(of: spaceId) }
        if id == 0 || !outcomes.isEmpty || !due.isEmpty {
            try relaxedWrite { connection in
                let table = OutboxTable(connection: connection, now: outbox.now())
                if id == 0 { try table.goOn() }
                for outcome in outcomes { try table.settle(outcome) }
                let readings = ReadingTable(connection: connection, now: outbox.now())
                // Others may have taken their place while the logs were read.
                for row in try due.isEmpty ? [] : readings.due(isHurried: isHurried, limit: Self.readingPage) {
                    try readings.drop(row.number)
                    try notify(ofKept: row.reading, connection)
                }
            }
        }
        return try read { connection in
            let table = OutboxTable(connection: connection, now: outbox.now())
            return OutboxFindings(
                rows: limit > 0 ? try table.rows(after: id, limit: limit) : [],
                next: try ReadingTable(connection: connection, now: outbox.now()).next(),
                losses: try table.losses())
        }
    }
}
