import SQLiteStorage

// Accepted notifications that would be known if they came again.
extension SQLiteConnection {
    /// How many that have expired go with each new one: more than come, so that none stay.
    private static let prunedAtOnce: Int64 = 4

    /// Whether a notification was accepted and its time is not over.
    func isRemembered(_ key: RepeatKey, now: NodeTime) throws(SQLiteError) -> Bool {
        let expiresAt = try first("SELECT expires_at FROM accepted WHERE digest = ?", .bytes(key.digest)) {
            NodeTime(milliseconds: $0.integer(0))
        }
        return expiresAt.map { now < $0 } ?? false
    }

    /// Remembers a notification that was accepted now.
    ///
    /// - Parameters:
    ///   - until: when its time is over.
    ///   - eviction: which other one makes room.
    /// - Returns: whose were forgotten for it.
    func remember(
        _ key: RepeatKey, until expiresAt: NodeTime, now: NodeTime, _ eviction: RepeatEviction
    ) throws(SQLiteError) -> [SenderTag] {
        // Numbers are given in the order of acceptance, so what expires first is what comes first.
        var forgotten = try all(
            """
            DELETE FROM accepted WHERE id IN (SELECT id FROM accepted ORDER BY id LIMIT ?) AND expires_at <= ?
            RETURNING sender
            """,
            .integer(Self.prunedAtOnce), .time(now)
        ) { SenderTag(rawValue: $0.integer(0)) }
        forgotten += try all("DELETE FROM accepted WHERE digest = ? RETURNING sender", .bytes(key.digest)) {
            SenderTag(rawValue: $0.integer(0))
        }
        switch eviction {
        case .none: break
        case .ownOldest:
            forgotten += try all(
                """
                DELETE FROM accepted WHERE id = (SELECT id FROM accepted WHERE sender = ? ORDER BY id LIMIT 1)
                RETURNING sender
                """,
                .integer(key.sender.rawValue)
            ) { SenderTag(rawValue: $0.integer(0)) }
        case .oldest:
            forgotten += try all("DELETE FROM accepted WHERE id = (SELECT min(id) FROM accepted) RETURNING sender") {
                SenderTag(rawValue: $0.integer(0))
            }
        }
        try run(
            "INSERT INTO accepted (sender, digest, expires_at) VALUES (?, ?, ?)",
            .integer(key.sender.rawValue), .bytes(key.digest), .time(expiresAt)
        )
        return forgotten
    }

    /// How many notifications of whom are remembered.
    func repeatCounts() throws(SQLiteError) -> RepeatCounts {
        var counts = RepeatCounts()
        let rows = try all("SELECT sender, count(*) FROM accepted GROUP BY sender") {
            (sender: SenderTag(rawValue: $0.integer(0)), count: Int($0.integer(1)))
        }
        for row in rows { counts.add(row.count, of: row.sender) }
        return counts
    }
}
