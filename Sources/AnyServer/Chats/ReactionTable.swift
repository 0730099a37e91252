import PushCrypto
import SQLiteStorage

/// The reactions on the messages of one chat: each member's last word for each emoji.
struct ReactionTable {
    let connection: SQLiteConnection
    let chat: Int64

    /// Joins a reaction.
    ///
    /// - Returns: whether it is the member's last word for the emoji.
    func join(
        _ reaction: ChatMessage.Reaction, isOn: Bool, on message: String, _ order: ChangeOrder
    ) throws(SQLiteError) -> Bool {
        try connection.run(
            """
            INSERT INTO reaction (chat, message, identity, emoji, version, reacted_at, is_on)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (chat, message, identity, emoji) DO UPDATE SET version = ?5, reacted_at = ?6, is_on = ?7
            WHERE excluded.version > version
            """,
            .integer(chat), .text(message), .bytes(reaction.identity.rawRepresentation), .text(reaction.emoji),
            .text(order.versionId), .integer(reaction.reactedAt), .flag(isOn)
        )
        return connection.changes > 0
    }

    /// Whether a member's reaction is on.
    func isOn(_ emoji: String, on message: String, by identity: PublicKey) throws(SQLiteError) -> Bool {
        try connection.first(
            "SELECT is_on FROM reaction WHERE chat = ? AND message = ? AND identity = ? AND emoji = ?",
            .integer(chat), .text(message), .bytes(identity.rawRepresentation), .text(emoji)
        ) { $0.integer(0) != 0 } ?? false
    }

    /// The reactions that are shown: the first in order, as many as ``ChatLimits/shownReactions``.
    func shown(on message: String) throws -> [ChatMessage.Reaction] {
        let rows = try connection.all(
            """
            SELECT identity, emoji, reacted_at FROM reaction
            WHERE chat = ? AND message = ? AND is_on = 1 ORDER BY version LIMIT ?
            """,
            .integer(chat), .text(message), .integer(Int64(ChatLimits.shownReactions))
        ) { (identity: $0.bytes(0), emoji: $0.text(1), reactedAt: $0.integer(2)) }
        return try rows.map { row in
            guard let identity = try? PublicKey(rawRepresentation: row.identity) else {
                throw SpaceError.damaged("a reaction on message \(message)")
            }
            return ChatMessage.Reaction(emoji: row.emoji, identity: identity, reactedAt: row.reactedAt)
        }
    }

    /// Forgets the reactions on a message.
    func drop(_ message: String) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM reaction WHERE chat = ? AND message = ?", .integer(chat), .text(message)
        )
    }
}
