import MachineTime
import PushNode
import SQLiteStorage

/// The rows of notifications that wait.
struct OutboxTable {
    /// A notification as it is stored.
    struct Row: Sendable {
        let id: Int64
        let kind: Int64
        let request: [UInt8]
        let attempts: Int
        let age: Duration
        let sinceTry: Duration?
    }

    let connection: SQLiteConnection
    let now: MachineMoment

    private var uptime: SQLiteValue { .integer(now.uptime.inMilliseconds) }
    private var boot: SQLiteValue { .optional(now.boot) }

    /// Whether there is room for another notification of so many bytes.
    func hasRoom(for byteCount: Int, _ settings: OutboxSettings) throws(SQLiteError) -> Bool {
        let held = try connection.first("SELECT count, bytes FROM outbox_size") { row in
            (count: Int(row.integer(0)), bytes: Int(row.integer(1)))
        }
        guard let held else { return true }
        return held.count < settings.capacity && held.bytes + byteCount <= settings.byteCapacity
    }

    /// Keeps a notification until something becomes of it.
    func insert(_ notification: OutgoingNotification, _ request: [UInt8]) throws(SQLiteError) {
        try connection.run(
            "INSERT INTO outbox (kind, request, uptime, boot) VALUES (?, ?, ?, ?)",
            .integer(notification.kind.stored), .bytes(request), uptime, boot)
    }

    /// Goes on counting the age of what waits since another run of the machine: what passed since is not known.
    func goOn() throws(SQLiteError) {
        try connection.run("UPDATE outbox SET uptime = ?1, boot = ?2 WHERE boot IS NOT ?2 OR uptime > ?1", uptime, boot)
        try connection.run(
            "UPDATE outbox_loss SET uptime = ?1, boot = ?2 WHERE boot IS NOT ?2 OR uptime > ?1", uptime, boot)
    }

    /// The notifications behind one, in order.
    func rows(after id: Int64, limit: Int) throws(SQLiteError) -> [Row] {
        try connection.all(
            """
            SELECT id, kind, request, attempts, age, uptime, boot FROM outbox WHERE id > ? ORDER BY id LIMIT ?
            """,
            .integer(id), .integer(Int64(limit))
        ) { row in
            Row(
                id: row.integer(0), kind: row.integer(1), request: row.bytes(2),
                attempts: Int(clamping: row.integer(3)),
                age: age(row, 4), sinceTry: row.integer(3) > 0 ? sinceStamp(row, 5) : nil)
        }
    }

    /// Writes down what became of a notification; nothing for one that is not there any more.
    func settle(_ outcome: OutboxOutcome) throws(SQLiteError) {
        switch outcome.result {
        case .sent: try connection.run("DELETE FROM outbox WHERE id = ?", .integer(outcome.id))
        case .tried(let attempts):
            try connection.run(
                """
                UPDATE outbox SET attempts = ?2, uptime = ?3, boot = ?4,
                    age = age + CASE WHEN boot = ?4 AND uptime < ?3 THEN ?3 - uptime ELSE 0 END
                WHERE id = ?1
                """,
                .integer(outcome.id), .integer(Int64(attempts)), uptime, boot)
        case .givenUp(let reason):
            try connection.run("DELETE FROM outbox WHERE id = ?", .integer(outcome.id))
            if connection.changes > 0 { try lose(reason) }
        }
    }

    // MARK: Losses

    /// Remembers that a notification was lost.
    func lose(_ reason: String) throws(SQLiteError) {
        let before = try losses()?.count ?? 0
        try connection.run(
            "INSERT OR REPLACE INTO outbox_loss (id, count, reason, uptime, boot) VALUES (1, ?, ?, ?, ?)",
            .integer(Int64(clamping: before + 1)), .text(reason), uptime, boot)
    }

    /// What was lost of late.
    func losses() throws(SQLiteError) -> NotificationLosses? {
        let losses = try connection.first("SELECT count, reason, age, uptime, boot FROM outbox_loss") { row in
            NotificationLosses(
                count: UInt64(max(row.integer(0), 0)), lastReason: row.text(1), sinceLast: age(row, 2))
        }
        return losses.flatMap { $0.sinceLast < NotificationLosses.memory ? $0 : nil }
    }

    /// What the columns `age`, `uptime` and `boot` say by now.
    private func age(_ row: SQLiteConnection.Row, _ column: Int32) -> Duration {
        .milliseconds(max(row.integer(column), 0)) + (sinceStamp(row, column + 1) ?? .zero)
    }

    /// What passed since the moment that the columns `uptime` and `boot` name; `nil` when that is not known.
    private func sinceStamp(_ row: SQLiteConnection.Row, _ column: Int32) -> Duration? {
        let moment = MachineMoment(
            uptime: .milliseconds(row.integer(column)), boot: row.isNull(column + 1) ? nil : row.text(column + 1))
        return moment.elapsed(to: now)
    }
}

extension OutgoingNotification.Kind {
    /// How the outbox has it.
    fileprivate var stored: Int64 {
        switch self {
        case .normal: 0
        case .silent: 1
        }
    }

    init?(stored: Int64) {
        switch stored {
        case 0: self = .normal
        case 1: self = .silent
        default: return nil
        }
    }
}

extension Duration {
    /// Whole milliseconds, for times that machines run.
    var inMilliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
