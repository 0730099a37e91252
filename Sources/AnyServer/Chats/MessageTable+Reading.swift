import SQLiteStorage

// What this account has read.
extension MessageTable {
    /// Takes messages up to a place in the chat, and mentions in them, for read.
    ///
    /// - Parameter version: the last one; `nil` for the whole chat, and then reactions too.
    /// - Returns: by how much the counts of the chat fall.
    func markRead(upTo version: String?) throws(SQLiteError) -> UnreadCounts {
        // Greater than any version, which is text.
        let last: SQLiteValue = version.map { .text($0) } ?? .bytes([0xff])
        var counts = UnreadCounts()
        try connection.run(
            "UPDATE message SET is_unread = 0 WHERE chat = ? AND is_unread = 1 AND version <= ?", .integer(chat), last
        )
        counts.messages = connection.changes
        try connection.run(
            "UPDATE message SET is_unread_mention = 0 WHERE chat = ? AND is_unread_mention = 1 AND version <= ?",
            .integer(chat), last
        )
        counts.mentions = connection.changes
        guard version == nil else { return counts }
        try connection.run(
            "UPDATE message SET has_unread_reactions = 0 WHERE chat = ? AND has_unread_reactions = 1", .integer(chat)
        )
        counts.reactions = connection.changes
        return counts
    }

    /// Takes the reactions on a message for read.
    ///
    /// - Returns: by how much the counts of the chat fall.
    func markReactionsRead(of id: String) throws(SQLiteError) -> UnreadCounts {
        try connection.run(
            "UPDATE message SET has_unread_reactions = 0 WHERE chat = ? AND id = ? AND has_unread_reactions = 1",
            .integer(chat), .text(id)
        )
        return UnreadCounts(reactions: connection.changes)
    }

    /// Notes that another member has reacted on a message of this account.
    ///
    /// - Returns: by how much the counts of the chat rise.
    func markReactionsUnread(of id: String) throws(SQLiteError) -> UnreadCounts {
        try connection.run(
            """
            UPDATE message SET has_unread_reactions = 1
            WHERE chat = ? AND id = ? AND has_unread_reactions = 0 AND is_deleted = 0
            """,
            .integer(chat), .text(id)
        )
        return UnreadCounts(reactions: connection.changes)
    }
}
