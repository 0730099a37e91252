import PushCrypto
import SQLiteStorage

// Registered spaces.
extension SQLiteConnection {
    func createSpace(
        _ spaceKey: [UInt8], author: PublicKey, at time: UnixTime, limit: Int, mayGrow: Bool = true
    ) throws(SQLiteError) -> SpaceCreation {
        let known = try first("SELECT 1 FROM space WHERE key = ?", .bytes(spaceKey)) { $0.integer(0) }
        guard known == nil else { return .exists }
        let author = SQLiteValue.bytes(author.rawRepresentation)
        let count = try first("SELECT count(*) FROM space WHERE author = ?", author) { $0.integer(0) }
        guard let count, count < limit else { return .tooMany }
        guard mayGrow else { throw .full }
        try run(
            "INSERT INTO space (key, author, created_at) VALUES (?, ?, ?)", .bytes(spaceKey), author, .time(time)
        )
        return .created
    }

    func removeSpace(_ spaceKey: [UInt8], author: PublicKey) throws(SQLiteError) {
        try run(
            "DELETE FROM space WHERE key = ? AND author = ?", .bytes(spaceKey), .bytes(author.rawRepresentation)
        )
    }
}
