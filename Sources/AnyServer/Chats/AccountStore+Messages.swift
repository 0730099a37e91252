import ProtoWire
import PushCrypto
import PushNode
import SQLiteStorage

// What the account writes into chats. Each is refused with an error of the space's row when the account may not write,
// and with ``ChatError/noChat`` for an object that is no chat of the space.
extension AccountStore {
    /// Sends a message.
    ///
    /// - Throws: ``ChatError/noChat``, or an error of the space's row.
    func sendMessage(_ draft: ChatDraft, to chatId: String, in spaceId: String) async throws -> ChatWrite {
        try await prepareLog(of: spaceId)
        return try write { connection in
            let messages = try writableChat(chatId, in: spaceId, connection)
            let answered = try draft.replyTo.flatMap { try messages?.message($0)?.state.creation }
            let body = MessageBody(
                chatId: chatId, text: draft.text, replyTo: draft.replyTo, repliedAuthor: answered?.author,
                extras: draft.extras
            )
            let order = try makeChange(.message(body), in: spaceId, connection)
            let sent = try storedMessage(order.changeId, in: chatId, of: spaceId, connection)
            try notify(of: sent, connection)
            return ChatWrite(order, messageId: order.changeId)
        }
    }

    /// Gives one of the account's own messages another text.
    ///
    /// - Parameter agent: the software that writes it, checked; `nil` leaves it as it is.
    /// - Throws: ``ChatError/textRequired``, ``ChatError/textTooLong(found:)``, ``ChatError/messageNotFound``,
    ///   ``ChatError/notAuthor``, ``ChatError/noChat``, or an error of the space's row.
    func editMessage(
        _ id: String, text: String, agent: JSONObject? = nil, in chatId: String, of spaceId: String
    ) async throws -> ChatWrite {
        try ChatDraft.checkEdit(text)
        try await prepareLog(of: spaceId)
        return try write { connection in
            let known = try ownMessage(id, in: chatId, of: spaceId, connection)
            let before = known.mentions
            let reference = MessageRef(chatId: chatId, messageId: id)
            // Of all edits the last one counts, so it says what an earlier one has changed.
            let change = ChatChange.edit(reference, text: text, agent: agent ?? known.lastEdit?.agent)
            let order = try makeChange(change, in: spaceId, connection)
            let edited = try storedMessage(id, in: chatId, of: spaceId, connection)
            try notify(ofEdit: edited, mentionsBefore: before, connection)
            return ChatWrite(order, messageId: id)
        }
    }

    /// Deletes one of the account's own messages.
    ///
    /// - Throws: ``ChatError/messageNotFound``, ``ChatError/notAuthor``, ``ChatError/noChat``, or an error of the
    ///   space's row.
    func deleteMessage(_ id: String, in chatId: String, of spaceId: String) async throws -> ChatWrite {
        try await prepareLog(of: spaceId)
        return try write { connection in
            _ = try ownMessage(id, in: chatId, of: spaceId, connection)
            let reference = MessageRef(chatId: chatId, messageId: id)
            return ChatWrite(try makeChange(.delete(reference), in: spaceId, connection), messageId: id)
        }
    }

    /// Puts a reaction of this account on a message, or takes it off.
    ///
    /// - Returns: the change, and whether the reaction is on now.
    /// - Throws: ``ChatError/emojiInvalid``, ``ChatError/messageNotFound``, ``ChatError/noChat``, or an error of the
    ///   space's row.
    func toggleReaction(
        _ emoji: String, on id: String, in chatId: String, of spaceId: String
    ) async throws -> (write: ChatWrite, isOn: Bool) {
        guard ChatText.isWithin(ChatLimits.emojiByteCount, emoji) else { throw ChatError.emojiInvalid }
        try await prepareLog(of: spaceId)
        return try write { connection in
            guard let messages = try writableChat(chatId, in: spaceId, connection), let row = try messages.row(id)
            else { throw ChatError.messageNotFound }
            guard try !row.message(in: chatId).state.isDeleted else { throw ChatError.messageDeleted }
            let reactions = ReactionTable(connection: connection, chat: messages.chat)
            let isOn = try !reactions.isOn(emoji, on: id, by: keys.accountKey.publicKey)
            let reference = MessageRef(chatId: chatId, messageId: id)
            let order = try makeChange(.reaction(reference, emoji: emoji, isOn: isOn), in: spaceId, connection)
            return (ChatWrite(order, messageId: id), isOn)
        }
    }

    /// The messages of a chat that the account may write to; `nil` while nothing is kept of the chat.
    private func writableChat(
        _ chatId: String, in spaceId: String, _ connection: SQLiteConnection
    ) throws -> MessageTable? {
        _ = try writable(spaceId, connection)
        try requireChat(chatId, in: spaceId, connection)
        return try messageTable(of: chatId, in: spaceId, connection)
    }

    private func ownMessage(
        _ id: String, in chatId: String, of spaceId: String, _ connection: SQLiteConnection
    ) throws -> MessageState {
        let message = try writableChat(chatId, in: spaceId, connection)?.row(id)?.message(in: chatId)
        guard let state = message?.state, let author = state.creation?.author else { throw ChatError.messageNotFound }
        guard !state.isDeleted else { throw ChatError.messageDeleted }
        guard author == keys.accountKey.publicKey else { throw ChatError.notAuthor }
        return state
    }

    /// A message as it is stored now, for the notification of it.
    private func storedMessage(
        _ id: String, in chatId: String, of spaceId: String, _ connection: SQLiteConnection
    ) throws -> StoredMessage {
        let row = try messageTable(of: chatId, in: spaceId, connection)?.row(id)
        guard let row, case let state = try row.message(in: chatId).state, let creation = state.creation else {
            throw SpaceError.damaged("message \(id)")
        }
        return StoredMessage(
            spaceId: spaceId, chatId: chatId, messageId: id, text: WireString(state.text ?? ""),
            attachmentCount: creation.body.extras.attachmentCount, mentions: try row.mentions()
        )
    }

    /// The messages of a chat; `nil` while nothing is kept of it.
    func messageTable(
        of chatId: String, in spaceId: String, _ connection: SQLiteConnection
    ) throws -> MessageTable? {
        try ChatTable(connection: connection).chat(chatId, in: spaceId).map { chat in
            MessageTable(connection: connection, chat: chat.number, chatId: chatId)
        }
    }
}
