import PushCrypto
import PushNode
import SQLiteStorage

// What the account reads in chats, and that it has read it. Both need a member, not a writer.
extension AccountStore {
    /// A part of a chat's messages.
    struct MessagePage: Hashable, Sendable {
        var messages: [ChatMessage] = []
        /// Whether the query goes on behind them.
        var hasNext = false
    }

    /// Messages of a chat.
    ///
    /// - Returns: none for an object that is no chat.
    /// - Throws: ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func messages(_ query: MessageQuery, in chatId: String, of spaceId: String) throws -> MessagePage {
        try read { connection in
            try checkContent(of: spaceId, connection)
            guard let table = try messageTable(of: chatId, in: spaceId, connection) else { return MessagePage() }
            let limit = min(max(query.limit, 0), ChatLimits.pageMessages)
            // One more than fits tells that there are more.
            let numbers = try table.numbers(query, limit: limit + 1)
            let reactions = ReactionTable(connection: connection, chat: table.chat)
            let messages = try numbers.prefix(limit).compactMap { number in
                try table.row(number: number).map { try $0.shown(in: chatId, reactions) }
            }
            return MessagePage(messages: messages, hasNext: numbers.count > limit)
        }
    }

    /// One message of a chat; `nil` when it is not there or was deleted.
    ///
    /// - Throws: ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func message(_ id: String, in chatId: String, of spaceId: String) throws -> ChatMessage? {
        try read { connection in
            try checkContent(of: spaceId, connection)
            guard let table = try messageTable(of: chatId, in: spaceId, connection), try table.message(id) != nil
            else { return nil }
            return try table.row(id)?.shown(in: chatId, ReactionTable(connection: connection, chat: table.chat))
        }
    }

    /// Takes a message and all before it for read.
    ///
    /// - Throws: ``ChatError/messageNotFound``, ``ChatError/noChat``, ``SpaceError/notFound`` or
    ///   ``SpaceError/deleted``.
    func markRead(upTo id: String, in chatId: String, of spaceId: String) throws {
        try markRead(in: chatId, of: spaceId) { messages throws in
            guard let version = try messages?.row(id)?.version else { throw ChatError.messageNotFound }
            return (id, version)
        }
    }

    /// Takes a whole chat for read, reactions too.
    ///
    /// - Throws: ``ChatError/noChat``, ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func markAllRead(in chatId: String, of spaceId: String) throws {
        try markRead(in: chatId, of: spaceId) { messages throws in (try messages?.newestId(), nil) }
    }

    /// Takes the reactions on a message for read. Nothing happens when there are none, or no such message.
    ///
    /// - Throws: ``ChatError/noChat``, ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func markReactionsRead(on id: String, in chatId: String, of spaceId: String) throws {
        try write { connection in
            guard let messages = try readableChat(chatId, in: spaceId, connection) else { return }
            let counts = try messages.markReactionsRead(of: id)
            try settle(counts, messages, spaceId)
        }
    }

    /// The devices of the account are told of a read even when nothing was unread here: their notifications may still
    /// be up.
    private func markRead(
        in chatId: String, of spaceId: String,
        upTo last: (MessageTable?) throws -> (messageId: String?, version: String?)
    ) throws {
        try write { connection in
            let messages = try readableChat(chatId, in: spaceId, connection)
            let last = try last(messages)
            if let messages { try settle(try messages.markRead(upTo: last.version), messages, spaceId) }
            let reading = ChatReading(
                spaceId: spaceId, chatId: chatId, lastMessageId: last.messageId, readAt: now())
            try notify(of: reading, connection)
        }
    }

    private func settle(_ counts: UnreadCounts, _ messages: MessageTable, _ spaceId: String) throws {
        guard counts != UnreadCounts() else { return }
        try ChatTable(connection: messages.connection).count(UnreadCounts() - counts, in: messages.chat)
        tell(.chatChanged(spaceId: spaceId, chatId: messages.chatId))
    }

    private func readableChat(
        _ chatId: String, in spaceId: String, _ connection: SQLiteConnection
    ) throws -> MessageTable? {
        try checkContent(of: spaceId, connection)
        try requireChat(chatId, in: spaceId, connection)
        return try messageTable(of: chatId, in: spaceId, connection)
    }
}

extension MessageColumns {
    /// The message as clients see it.
    fileprivate func shown(in chatId: String, _ reactions: ReactionTable) throws -> ChatMessage {
        let state = try message(in: chatId).state
        guard let creation = state.creation else { throw SpaceError.damaged("message \(id)") }
        return ChatMessage(
            id: id, chatId: chatId, versionId: version, creator: creation.author, createdAt: creation.createdAt,
            modifiedAt: state.lastEdit?.editedAt ?? creation.createdAt, text: state.text ?? "",
            replyTo: creation.body.replyTo, extras: state.extras, isDeleted: state.isDeleted, mentions: try mentions(),
            reactions: try reactions.shown(on: id), isUnread: flags.isUnread,
            isUnreadMention: flags.isUnreadMention, hasUnreadReactions: flags.hasUnreadReactions
        )
    }
}
