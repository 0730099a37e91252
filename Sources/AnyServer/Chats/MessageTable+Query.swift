import PushCrypto
import SQLiteStorage

// Which messages a query is about, found by an index that has them in order: what it costs depends on how many are
// passed over and given, not on how long the chat is.
extension MessageTable {
    /// The rows of the messages that a query asks for, in its order.
    func numbers(_ query: MessageQuery) throws(SQLiteError) -> [Int64] {
        let chat = SQLiteValue.integer(chat)
        let (after, before, unread, mention) = Self.bounds(query)
        let (limit, offset) = (SQLiteValue.integer(Int64(query.limit)), SQLiteValue.integer(Int64(query.offset)))
        switch (query.mentioning?.rawRepresentation, query.isDescending) {
        case (let identity?, true):
            return try connection.all(
                """
                SELECT message.number FROM mention JOIN message ON message.number = mention.message
                WHERE mention.chat = ?1 AND mention.identity = ?8 AND mention.version > ?2 AND mention.version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY mention.version DESC LIMIT ?6 OFFSET ?7
                """,
                chat, after, before, unread, mention, limit, offset, .bytes(identity)
            ) { $0.integer(0) }
        case (let identity?, false):
            return try connection.all(
                """
                SELECT message.number FROM mention JOIN message ON message.number = mention.message
                WHERE mention.chat = ?1 AND mention.identity = ?8 AND mention.version > ?2 AND mention.version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY mention.version LIMIT ?6 OFFSET ?7
                """,
                chat, after, before, unread, mention, limit, offset, .bytes(identity)
            ) { $0.integer(0) }
        case (nil, _) where query.isUnreadMention == true:
            return try unreadMentions(query, after, before, unread, limit, offset)
        case (nil, _) where query.isUnread == true:
            return try unreadOnly(query, after, before, mention, limit, offset)
        case (nil, true):
            return try connection.all(
                """
                SELECT number FROM message
                WHERE chat = ?1 AND is_deleted = 0 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY version DESC LIMIT ?6 OFFSET ?7
                """,
                chat, after, before, unread, mention, limit, offset
            ) { $0.integer(0) }
        case (nil, false):
            return try connection.all(
                """
                SELECT number FROM message
                WHERE chat = ?1 AND is_deleted = 0 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY version LIMIT ?6 OFFSET ?7
                """,
                chat, after, before, unread, mention, limit, offset
            ) { $0.integer(0) }
        }
    }

    /// How many messages a query is about, whatever its offset and limit. Counts them one by one.
    func count(_ query: MessageQuery) throws(SQLiteError) -> Int {
        let (after, before, unread, mention) = Self.bounds(query)
        let count: Int64?
        if let identity = query.mentioning?.rawRepresentation {
            count = try connection.first(
                """
                SELECT count(*) FROM mention JOIN message ON message.number = mention.message
                WHERE mention.chat = ?1 AND mention.identity = ?6 AND mention.version > ?2 AND mention.version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                """,
                .integer(chat), after, before, unread, mention, .bytes(identity)
            ) { $0.integer(0) }
        } else if query.isUnread == nil, query.isUnreadMention == nil {
            count = try connection.first(
                "SELECT count(*) FROM message WHERE chat = ? AND is_deleted = 0 AND version > ? AND version < ?",
                .integer(chat), after, before
            ) { $0.integer(0) }
        } else {
            count = try connection.first(
                """
                SELECT count(*) FROM message WHERE chat = ?1 AND is_deleted = 0 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                """,
                .integer(chat), after, before, unread, mention
            ) { $0.integer(0) }
        }
        return Int(count ?? 0)
    }

    /// The newest message that is not deleted.
    func lastId() throws(SQLiteError) -> String? {
        try connection.first(
            "SELECT id FROM message WHERE chat = ? AND is_deleted = 0 ORDER BY version DESC LIMIT 1", .integer(chat)
        ) { $0.text(0) }
    }

    private func unreadMentions(
        _ query: MessageQuery, _ after: SQLiteValue, _ before: SQLiteValue, _ unread: SQLiteValue,
        _ limit: SQLiteValue, _ offset: SQLiteValue
    ) throws(SQLiteError) -> [Int64] {
        guard query.isDescending else {
            return try connection.all(
                """
                SELECT number FROM message WHERE chat = ?1 AND is_unread_mention = 1 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4)
                ORDER BY version LIMIT ?5 OFFSET ?6
                """,
                .integer(chat), after, before, unread, limit, offset
            ) { $0.integer(0) }
        }
        return try connection.all(
            """
            SELECT number FROM message WHERE chat = ?1 AND is_unread_mention = 1 AND version > ?2 AND version < ?3
                AND (?4 < 0 OR is_unread = ?4)
            ORDER BY version DESC LIMIT ?5 OFFSET ?6
            """,
            .integer(chat), after, before, unread, limit, offset
        ) { $0.integer(0) }
    }

    private func unreadOnly(
        _ query: MessageQuery, _ after: SQLiteValue, _ before: SQLiteValue, _ mention: SQLiteValue,
        _ limit: SQLiteValue, _ offset: SQLiteValue
    ) throws(SQLiteError) -> [Int64] {
        guard query.isDescending else {
            return try connection.all(
                """
                SELECT number FROM message WHERE chat = ?1 AND is_unread = 1 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread_mention = ?4)
                ORDER BY version LIMIT ?5 OFFSET ?6
                """,
                .integer(chat), after, before, mention, limit, offset
            ) { $0.integer(0) }
        }
        return try connection.all(
            """
            SELECT number FROM message WHERE chat = ?1 AND is_unread = 1 AND version > ?2 AND version < ?3
                AND (?4 < 0 OR is_unread_mention = ?4)
            ORDER BY version DESC LIMIT ?5 OFFSET ?6
            """,
            .integer(chat), after, before, mention, limit, offset
        ) { $0.integer(0) }
    }

    // Versions are hex digits and base32: nothing is not before them, and 0xff is after them all.
    private static func bounds(
        _ query: MessageQuery
    ) -> (after: SQLiteValue, before: SQLiteValue, unread: SQLiteValue, mention: SQLiteValue) {
        func flag(_ value: Bool?) -> SQLiteValue { value.map { .flag($0) } ?? .integer(-1) }
        return (
            .text(query.after ?? ""), query.before.map { .text($0) } ?? .bytes([0xff]),
            flag(query.isUnread), flag(query.isUnreadMention)
        )
    }
}
