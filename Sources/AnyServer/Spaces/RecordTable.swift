import PushCrypto
import SQLiteStorage

/// The raw records of the ACL logs of an account's spaces.
struct RecordTable {
    let connection: SQLiteConnection

    /// Records in order.
    ///
    /// - Parameters:
    ///   - spaceId: the space.
    ///   - position: the first one; the root is at 0.
    ///   - limit: how many at most.
    func records(of spaceId: String, from position: Int, limit: Int = .max) throws(SQLiteError) -> [RawRecordWithId] {
        try connection.all(
            "SELECT payload, id FROM acl_record WHERE space = ? AND position >= ? ORDER BY position LIMIT ?",
            .text(spaceId), .integer(Int64(position)), .integer(Int64(limit))
        ) { RawRecordWithId(payload: $0.bytes(0), id: $0.text(1)) }
    }

    /// Records in order, about as many as have so many bytes; at least one when there is one.
    func records(
        of spaceId: String, from position: Int, limit: Int, byteLimit: Int
    ) throws(SQLiteError) -> [RawRecordWithId] {
        let lengths = try connection.all(
            "SELECT length(payload) FROM acl_record WHERE space = ? AND position >= ? ORDER BY position LIMIT ?",
            .text(spaceId), .integer(Int64(position)), .integer(Int64(limit))
        ) { Int($0.integer(0)) }
        var (count, byteCount) = (0, 0)
        for length in lengths {
            byteCount += length
            guard count == 0 || byteCount <= byteLimit else { break }
            count += 1
        }
        return count == 0 ? [] : try records(of: spaceId, from: position, limit: count)
    }

    /// The id of a record, `nil` when the log is shorter.
    func id(at position: Int, of spaceId: String) throws(SQLiteError) -> String? {
        try connection.first(
            "SELECT id FROM acl_record WHERE space = ? AND position = ?", .text(spaceId), .integer(Int64(position))
        ) { $0.text(0) }
    }

    /// Adds a record.
    func add(_ record: RawRecordWithId, at position: Int, of spaceId: String) throws(SQLiteError) {
        try connection.run(
            "INSERT INTO acl_record (space, position, id, payload) VALUES (?, ?, ?, ?)",
            .text(spaceId), .integer(Int64(position)), .text(record.id), .bytes(record.payload)
        )
    }

    /// Forgets a space's log.
    func drop(_ spaceId: String) throws(SQLiteError) {
        try connection.run("DELETE FROM acl_record WHERE space = ?", .text(spaceId))
    }
}
