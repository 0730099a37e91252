import PushCrypto
import SQLiteStorage

/// The messages of one chat.
struct MessageTable {
    let connection: SQLiteConnection
    /// The chat's number and id.
    let chat: Int64
    let chatId: String

    private var chatValue: SQLiteValue { .integer(chat) }

    /// A message, deleted or not; `nil` when it is not here.
    func row(_ id: String) throws(SQLiteError) -> MessageColumns? {
        try connection.first(
            """
            SELECT number, id, version, creator, created_at, body, edit_version, edited_at, edited_text, edit_agent, mentions,
                is_deleted, is_unread, is_unread_mention, has_unread_reactions
            FROM message WHERE chat = ? AND id = ?
            """,
            chatValue, .text(id), read: MessageColumns.init
        )
    }

    /// A message by its number.
    func row(number: Int64) throws(SQLiteError) -> MessageColumns? {
        try connection.first(
            """
            SELECT number, id, version, creator, created_at, body, edit_version, edited_at, edited_text, edit_agent, mentions,
                is_deleted, is_unread, is_unread_mention, has_unread_reactions
            FROM message WHERE number = ?
            """,
            .integer(number), read: MessageColumns.init
        )
    }

    /// A message that is there and not deleted.
    func message(_ id: String) throws -> StoredChatMessage? {
        guard let message = try row(id)?.message(in: chatId), !message.state.isDeleted else { return nil }
        return message
    }

    /// The id of the chat's newest message, `nil` when it has none.
    func newestId() throws(SQLiteError) -> String? {
        try connection.first("SELECT id FROM message WHERE chat = ? ORDER BY version DESC LIMIT 1", chatValue) {
            $0.text(0)
        }
    }

    /// Writes a new message.
    func insert(_ message: StoredChatMessage, mentions: [PublicKey]) throws(SQLiteError) {
        guard let creation = message.state.creation else { return }
        try connection.run(
            """
            INSERT INTO message (chat, id, version, creator, created_at, body, mentions, is_deleted, is_unread,
                is_unread_mention, has_unread_reactions)
            VALUES (?, ?, ?, ?, ?, x'', x'', 0, 0, 0, 0)
            """,
            chatValue, .text(creation.order.changeId), .text(creation.order.versionId),
            .bytes(creation.author.rawRepresentation), .integer(creation.createdAt)
        )
        try update(connection.insertedId, message, mentions: mentions, before: [])
    }

    /// Brings a message's row up to date.
    ///
    /// - Parameters:
    ///   - number: the row.
    ///   - message: the message now.
    ///   - mentions: whom it mentions now.
    ///   - before: whom it mentioned.
    func update(
        _ number: Int64, _ message: StoredChatMessage, mentions: [PublicKey], before: [PublicKey]
    ) throws(SQLiteError) {
        guard let creation = message.state.creation else { return }
        let edit = message.state.lastEdit
        try connection.run(
            """
            UPDATE message SET body = ?2, edit_version = ?3, edited_at = ?4, edited_text = ?5, edit_agent = ?6,
                mentions = ?7, is_deleted = ?8, is_unread = ?9, is_unread_mention = ?10, has_unread_reactions = ?11
            WHERE number = ?1
            """,
            .integer(number), .bytes(message.state.isDeleted ? [] : creation.body.marshalled()),
            .optional(edit?.order.versionId), edit.map { .integer($0.editedAt) } ?? .null, .optional(edit?.text),
            edit?.agentBytes.map { .bytes($0) } ?? .null, .bytes(mentions.flatMap(\.rawRepresentation)),
            .flag(message.state.isDeleted),
            .flag(message.flags.isUnread), .flag(message.flags.isUnreadMention), .flag(message.flags.hasUnreadReactions)
        )
        guard mentions != before else { return }
        for identity in before {
            try connection.run(
                "DELETE FROM mention WHERE chat = ? AND identity = ? AND version = ?",
                chatValue, .bytes(identity.rawRepresentation), .text(creation.order.versionId)
            )
        }
        for identity in mentions {
            try connection.run(
                "INSERT INTO mention (chat, identity, version, message) VALUES (?, ?, ?, ?)",
                chatValue, .bytes(identity.rawRepresentation), .text(creation.order.versionId), .integer(number)
            )
        }
    }

    /// What came before its message, joined.
    func early(_ id: String) throws -> MessageState {
        let rows = try connection.all(
            "SELECT author, version, edited_at, text, agent FROM early_edit WHERE chat = ? AND message = ?",
            chatValue, .text(id)
        ) { row in
            (
                author: row.bytes(0), version: row.text(1), editedAt: row.integer(2), text: row.text(3),
                agent: row.isNull(4) ? nil : row.bytes(4)
            )
        }
        var edits: [PublicKey: MessageState.Edit] = [:]
        for row in rows {
            guard let author = try? PublicKey(rawRepresentation: row.author),
                let order = ChangeOrder(versionId: row.version),
                let agent = MessageState.Edit.storedAgent(row.agent)
            else { throw SpaceError.damaged("an edit of message \(id)") }
            edits[author] = MessageState.Edit(order: order, editedAt: row.editedAt, text: row.text, agent: agent)
        }
        let deleters = try connection.all(
            "SELECT author FROM early_deletion WHERE chat = ? AND message = ?", chatValue, .text(id)
        ) { $0.bytes(0) }
        return MessageState(edits: edits, deleters: Set(deleters.compactMap { try? PublicKey(rawRepresentation: $0) }))
    }

    /// Keeps an edit whose message is not here; the last of each author.
    func keepEarly(_ edit: MessageState.Edit, of id: String, by author: PublicKey) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO early_edit (chat, message, author, version, edited_at, text, agent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (chat, message, author) DO UPDATE SET version = ?4, edited_at = ?5, text = ?6, agent = ?7
            WHERE excluded.version > version
            """,
            chatValue, .text(id), .bytes(author.rawRepresentation), .text(edit.order.versionId),
            .integer(edit.editedAt), .text(edit.text), edit.agentBytes.map { .bytes($0) } ?? .null
        )
    }

    /// Keeps a deletion whose message is not here.
    func keepEarlyDeletion(of id: String, by author: PublicKey) throws(SQLiteError) {
        try connection.run(
            "INSERT OR IGNORE INTO early_deletion (chat, message, author) VALUES (?, ?, ?)",
            chatValue, .text(id), .bytes(author.rawRepresentation)
        )
    }

    /// Forgets what came before its message.
    func dropEarly(_ id: String) throws(SQLiteError) {
        try connection.run("DELETE FROM early_edit WHERE chat = ? AND message = ?", chatValue, .text(id))
        try connection.run("DELETE FROM early_deletion WHERE chat = ? AND message = ?", chatValue, .text(id))
    }
}
