import SQLiteStorage

/// The rows of chats.
struct ChatTable {
    let connection: SQLiteConnection

    /// One chat, `nil` when nothing is kept of it.
    func chat(_ id: String, in spaceId: String) throws -> StoredChat? {
        try connection.first(
            """
            SELECT number, id, is_known, name, counter, notify_mode, unread, unread_mentions, unread_reactions
            FROM chat WHERE space = ? AND id = ?
            """,
            .text(spaceId), .text(id), read: StoredChat.init
        )
    }

    /// Every chat of which something is kept, in the order in which they came.
    func chats(of spaceId: String) throws -> [StoredChat] {
        try connection.all(
            """
            SELECT number, id, is_known, name, counter, notify_mode, unread, unread_mentions, unread_reactions
            FROM chat WHERE space = ? ORDER BY number
            """,
            .text(spaceId), read: StoredChat.init
        )
    }

    /// The number of a chat, which is given one if need be.
    func number(of id: String, in spaceId: String) throws(SQLiteError) -> Int64 {
        let known = try connection.first(
            "SELECT number FROM chat WHERE space = ? AND id = ?", .text(spaceId), .text(id)
        ) { $0.integer(0) }
        if let known { return known }
        try connection.run("INSERT INTO chat (space, id) VALUES (?, ?)", .text(spaceId), .text(id))
        return connection.insertedId
    }

    /// Notes the Lamport time of a change of the chat.
    func saw(_ counter: UInt64, in chat: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE chat SET counter = ?2 WHERE number = ?1 AND counter < ?2", .integer(chat), .integer(Int64(counter))
        )
    }

    /// Notes that the chat was made.
    func make(_ chat: Int64) throws(SQLiteError) {
        try connection.run("UPDATE chat SET is_known = 1 WHERE number = ?", .integer(chat))
    }

    /// Joins a name: the last in order counts.
    func name(_ chat: Int64, _ name: String, _ order: ChangeOrder) throws(SQLiteError) {
        try connection.run(
            "UPDATE chat SET name = ?2, name_version = ?3 WHERE number = ?1 AND name_version < ?3",
            .integer(chat), .text(name), .text(order.versionId)
        )
    }

    /// Writes this account's own notify mode; `nil` for none.
    func setNotifyMode(_ mode: String?, of chat: Int64) throws(SQLiteError) {
        try connection.run("UPDATE chat SET notify_mode = ?2 WHERE number = ?1", .integer(chat), .optional(mode))
    }

    /// Corrects what is unread.
    func count(_ difference: UnreadCounts, in chat: Int64) throws(SQLiteError) {
        guard difference != UnreadCounts() else { return }
        try connection.run(
            """
            UPDATE chat SET unread = unread + ?2, unread_mentions = unread_mentions + ?3,
                unread_reactions = unread_reactions + ?4 WHERE number = ?1
            """,
            .integer(chat), .integer(Int64(difference.messages)), .integer(Int64(difference.mentions)),
            .integer(Int64(difference.reactions))
        )
    }

    /// Forgets all chats of a space.
    func drop(_ spaceId: String) throws(SQLiteError) {
        let chats = try connection.all("SELECT number FROM chat WHERE space = ?", .text(spaceId)) { $0.integer(0) }
        for chat in chats.map(SQLiteValue.integer) {
            try connection.run("DELETE FROM message WHERE chat = ?", chat)
            try connection.run("DELETE FROM mention WHERE chat = ?", chat)
            try connection.run("DELETE FROM early_edit WHERE chat = ?", chat)
            try connection.run("DELETE FROM early_deletion WHERE chat = ?", chat)
            try connection.run("DELETE FROM reaction WHERE chat = ?", chat)
        }
        try connection.run("DELETE FROM chat WHERE space = ?", .text(spaceId))
        try connection.run("DELETE FROM chat_change WHERE space = ?", .text(spaceId))
    }
}
