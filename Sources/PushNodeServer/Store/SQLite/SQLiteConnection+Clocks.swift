import SQLiteStorage

// What the node's clocks said.
extension SQLiteConnection {
    /// What was recorded last, `nil` in a store that never was.
    func timeRecord() throws(SQLiteError) -> TimeRecord? {
        try first("SELECT time, calendar, uptime, boot FROM clocks") { row in
            TimeRecord(
                time: NodeTime(milliseconds: row.integer(0)), calendar: UnixTime(milliseconds: row.integer(1)),
                uptime: .milliseconds(row.integer(2)),
                boot: row.isNull(3) ? nil : String(decoding: row.bytes(3), as: UTF8.self)
            )
        }
    }

    func record(_ record: TimeRecord) throws(SQLiteError) {
        try run(
            "INSERT OR REPLACE INTO clocks (id, time, calendar, uptime, boot) VALUES (1, ?, ?, ?, ?)",
            .time(record.time), .integer(record.calendar.milliseconds), .integer(record.uptime.wholeMilliseconds),
            record.boot.map { .bytes(Array($0.utf8)) } ?? .null
        )
    }
}
