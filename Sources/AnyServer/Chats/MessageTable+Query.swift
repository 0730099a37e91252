import PushCrypto
import SQLiteStorage

// Which messages a query is about, found by an index that has them in order: what it costs depends on how many are
// given, not on how long the chat is. Only those that are wanted read, or without an unread mention, are looked for.
extension MessageTable {
    /// The rows of the messages that a query asks for, in its order, at most `limit`.
    func numbers(_ query: MessageQuery, limit: Int) throws(SQLiteError) -> [Int64] {
        let shown = try shownNumbers(query, limit: limit)
        // A deleted message mentions nobody and is read.
        guard query.includesDeleted, query.mentioning == nil, query.isUnread != true, query.isUnreadMention != true
        else { return shown }
        return try merge(shown, try deletedNumbers(query, limit: limit), query, limit: limit)
    }

    private func shownNumbers(_ query: MessageQuery, limit: Int) throws(SQLiteError) -> [Int64] {
        let chat = SQLiteValue.integer(chat)
        let (after, before, unread, mention) = Self.bounds(query)
        let limit = SQLiteValue.integer(Int64(limit))
        switch (query.mentioning?.rawRepresentation, query.isDescending) {
        case (let identity?, true):
            return try connection.all(
                """
                SELECT message.number FROM mention JOIN message ON message.number = mention.message
                WHERE mention.chat = ?1 AND mention.identity = ?7 AND mention.version > ?2 AND mention.version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY mention.version DESC LIMIT ?6
                """,
                chat, after, before, unread, mention, limit, .bytes(identity)
            ) { $0.integer(0) }
        case (let identity?, false):
            return try connection.all(
                """
                SELECT message.number FROM mention JOIN message ON message.number = mention.message
                WHERE mention.chat = ?1 AND mention.identity = ?7 AND mention.version > ?2 AND mention.version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY mention.version LIMIT ?6
                """,
                chat, after, before, unread, mention, limit, .bytes(identity)
            ) { $0.integer(0) }
        case (nil, _) where query.isUnreadMention == true:
            return try unreadMentions(query, after, before, unread, limit)
        case (nil, _) where query.isUnread == true:
            return try unreadOnly(query, after, before, mention, limit)
        case (nil, true):
            return try connection.all(
                """
                SELECT number FROM message
                WHERE chat = ?1 AND is_deleted = 0 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY version DESC LIMIT ?6
                """,
                chat, after, before, unread, mention, limit
            ) { $0.integer(0) }
        case (nil, false):
            return try connection.all(
                """
                SELECT number FROM message
                WHERE chat = ?1 AND is_deleted = 0 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4) AND (?5 < 0 OR is_unread_mention = ?5)
                ORDER BY version LIMIT ?6
                """,
                chat, after, before, unread, mention, limit
            ) { $0.integer(0) }
        }
    }

    private func deletedNumbers(_ query: MessageQuery, limit: Int) throws(SQLiteError) -> [Int64] {
        let (after, before, _, _) = Self.bounds(query)
        let (chat, limit) = (SQLiteValue.integer(chat), SQLiteValue.integer(Int64(limit)))
        guard query.isDescending else {
            return try connection.all(
                """
                SELECT number FROM message WHERE chat = ?1 AND is_deleted = 1 AND version > ?2 AND version < ?3
                ORDER BY version LIMIT ?4
                """,
                chat, after, before, limit
            ) { $0.integer(0) }
        }
        return try connection.all(
            """
            SELECT number FROM message WHERE chat = ?1 AND is_deleted = 1 AND version > ?2 AND version < ?3
            ORDER BY version DESC LIMIT ?4
            """,
            chat, after, before, limit
        ) { $0.integer(0) }
    }

    /// Two lists in the query's order as one.
    private func merge(
        _ one: [Int64], _ other: [Int64], _ query: MessageQuery, limit: Int
    ) throws(SQLiteError) -> [Int64] {
        var placed: [(number: Int64, version: String)] = []
        for number in one + other {
            let version = try connection.first("SELECT version FROM message WHERE number = ?", .integer(number)) {
                $0.text(0)
            }
            placed.append((number, version ?? ""))
        }
        placed.sort { query.isDescending ? $0.version > $1.version : $0.version < $1.version }
        return placed.prefix(limit).map(\.number)
    }

    /// The newest message that is not deleted.
    func lastId() throws(SQLiteError) -> String? {
        try connection.first(
            "SELECT id FROM message WHERE chat = ? AND is_deleted = 0 ORDER BY version DESC LIMIT 1", .integer(chat)
        ) { $0.text(0) }
    }

    private func unreadMentions(
        _ query: MessageQuery, _ after: SQLiteValue, _ before: SQLiteValue, _ unread: SQLiteValue,
        _ limit: SQLiteValue
    ) throws(SQLiteError) -> [Int64] {
        guard query.isDescending else {
            return try connection.all(
                """
                SELECT number FROM message WHERE chat = ?1 AND is_unread_mention = 1 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread = ?4)
                ORDER BY version LIMIT ?5
                """,
                .integer(chat), after, before, unread, limit
            ) { $0.integer(0) }
        }
        return try connection.all(
            """
            SELECT number FROM message WHERE chat = ?1 AND is_unread_mention = 1 AND version > ?2 AND version < ?3
                AND (?4 < 0 OR is_unread = ?4)
            ORDER BY version DESC LIMIT ?5
            """,
            .integer(chat), after, before, unread, limit
        ) { $0.integer(0) }
    }

    private func unreadOnly(
        _ query: MessageQuery, _ after: SQLiteValue, _ before: SQLiteValue, _ mention: SQLiteValue,
        _ limit: SQLiteValue
    ) throws(SQLiteError) -> [Int64] {
        guard query.isDescending else {
            return try connection.all(
                """
                SELECT number FROM message WHERE chat = ?1 AND is_unread = 1 AND version > ?2 AND version < ?3
                    AND (?4 < 0 OR is_unread_mention = ?4)
                ORDER BY version LIMIT ?5
                """,
                .integer(chat), after, before, mention, limit
            ) { $0.integer(0) }
        }
        return try connection.all(
            """
            SELECT number FROM message WHERE chat = ?1 AND is_unread = 1 AND version > ?2 AND version < ?3
                AND (?4 < 0 OR is_unread_mention = ?4)
            ORDER BY version DESC LIMIT ?5
            """,
            .integer(chat), after, before, mention, limit
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
