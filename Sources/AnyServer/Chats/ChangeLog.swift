import SQLiteStorage

/// The chat changes of an account's spaces as they were signed, in the order in which they came.
struct ChangeLog {
    let connection: SQLiteConnection

    /// A change with its place.
    struct Entry: Hashable, Sendable {
        let number: Int64
        let id: String
        let bytes: [UInt8]
    }

    /// Adds a change.
    ///
    /// - Returns: whether it is new here.
    func add(_ change: SignedChange) throws(SQLiteError) -> Bool {
        try connection.run(
            "INSERT OR IGNORE INTO chat_change (space, id, bytes) VALUES (?, ?, ?)",
            .text(change.spaceId), .text(change.id), .bytes(change.bytes)
        )
        return connection.changes > 0
    }

    /// Whether a change is here.
    func has(_ id: String) throws(SQLiteError) -> Bool {
        try connection.first("SELECT 1 FROM chat_change WHERE id = ?", .text(id)) { $0.integer(0) } != nil
    }

    /// Whether any change of a space came after `number`.
    func hasChanges(of spaceId: String, after number: Int64) throws(SQLiteError) -> Bool {
        try connection.first(
            "SELECT 1 FROM chat_change WHERE space = ? AND number > ? LIMIT 1", .text(spaceId), .integer(number)
        ) { $0.integer(0) } != nil
    }

    /// The changes of a space that came after `number`, in order.
    ///
    /// - Parameters:
    ///   - spaceId: the space.
    ///   - number: the last one that is not wanted; 0 for all.
    ///   - byteCount: with the change that reaches this, it is enough; there is at least one unless none is left.
    func changes(of spaceId: String, after number: Int64, byteCount: Int) throws(SQLiteError) -> [Entry] {
        var entries: [Entry] = []
        var (position, size) = (number, 0)
        while size < byteCount {
            let chunk = try connection.all(
                "SELECT number, id, bytes FROM chat_change WHERE space = ? AND number > ? ORDER BY number LIMIT 16",
                .text(spaceId), .integer(position)
            ) { Entry(number: $0.integer(0), id: $0.text(1), bytes: $0.bytes(2)) }
            guard let last = chunk.last else { break }
            for entry in chunk where size < byteCount {
                entries.append(entry)
                size += entry.bytes.count
            }
            position = last.number
        }
        return entries
    }
}
