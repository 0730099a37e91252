import SQLiteStorage

// What the account calls itself.
extension AccountStore {
    /// The longest name, in bytes: with what surrounds it, it fits into a log's metadata.
    static let profileNameLimit = 512

    /// The account's own name, `nil` when it has none.
    func profileName() throws -> String? {
        try read { try profileName($0) }
    }

    func profileName(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
        try connection.first("SELECT name FROM owner") { $0.isNull(0) ? nil : $0.text(0) } ?? nil
    }

    /// Gives the account a name, or takes it away by an empty one. Spaces made from then on tell it to their members.
    ///
    /// - Throws: ``SpaceError/textTooLong(field:limit:found:)``.
    func setProfileName(_ name: String) throws {
        let count = name.utf8.count
        guard count <= Self.profileNameLimit else {
            throw SpaceError.textTooLong(field: "name", limit: Self.profileNameLimit, found: count)
        }
        try write { connection in
            try connection.run("UPDATE owner SET name = ?", .optional(name.isEmpty ? nil : name))
        }
    }
}
