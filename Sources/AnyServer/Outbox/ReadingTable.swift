import MachineTime
import PushNode
import SQLiteStorage

/// The rows of readings that the account's devices will be told of: the last one of each chat.
struct ReadingTable {
    /// A reading whose time has come.
    struct Row {
        let number: Int64
        let reading: ChatReading
    }

    let connection: SQLiteConnection
    let now: MachineMoment

    private var uptime: SQLiteValue { .integer(now.uptime.inMilliseconds) }
    private var boot: SQLiteValue { .optional(now.boot) }
    /// No reading is due later, whatever the row says: then the row is of another run of the machine.
    private var latest: SQLiteValue {
        .integer((now.uptime + PushHooks.Limits().readDelay.upperBound).inMilliseconds)
    }

    /// Keeps a reading. One that waits for its chat gives way to it, and keeps its time.
    ///
    /// - Parameter delay: how long it is held back.
    func keep(_ reading: ChatReading, for delay: Duration) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO outbox_reading (space, chat, message, read_at, due, boot) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (space, chat) DO UPDATE SET message = ?3, read_at = ?4 WHERE excluded.read_at >= read_at
            """,
            .text(reading.spaceId), .text(reading.chatId), .optional(reading.lastMessageId), .integer(reading.readAt),
            .integer((now.uptime + delay).inMilliseconds), boot)
    }

    /// The readings whose time has come, in the order in which they came.
    ///
    /// - Parameter isHurried: whether to take all for such.
    func due(isHurried: Bool, limit: Int) throws(SQLiteError) -> [Row] {
        try connection.all(
            """
            SELECT number, space, chat, message, read_at FROM outbox_reading
            WHERE ?1 OR due <= ?2 OR due > ?3 OR boot IS NOT ?4 ORDER BY number LIMIT ?5
            """,
            .flag(isHurried), uptime, latest, boot, .integer(Int64(limit))
        ) { row in
            Row(
                number: row.integer(0),
                reading: ChatReading(
                    spaceId: row.text(1), chatId: row.text(2), lastMessageId: row.isNull(3) ? nil : row.text(3),
                    readAt: row.integer(4)))
        }
    }

    /// When the next one is due; `nil` when none waits.
    func next() throws(SQLiteError) -> Duration? {
        let due = try connection.first("SELECT min(due) FROM outbox_reading") { row in
            row.isNull(0) ? nil : Duration.milliseconds(row.integer(0))
        }
        return (due ?? nil).map { max($0 - now.uptime, .zero) }
    }

    /// Forgets a reading.
    func drop(_ number: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM outbox_reading WHERE number = ?", .integer(number))
    }

    /// Forgets the readings of a space.
    func drop(of spaceId: String) throws(SQLiteError) {
        try connection.run("DELETE FROM outbox_reading WHERE space = ?", .text(spaceId))
    }
}
