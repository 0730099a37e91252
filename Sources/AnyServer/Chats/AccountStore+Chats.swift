import ProtoWire
import PushCrypto
import PushNode
import SQLiteStorage

// The chats of a space.
extension AccountStore {
    /// The chats of a space, the general one first, then in the order in which they came.
    ///
    /// - Throws: ``SpaceError/notFound``, ``SpaceError/deleted``, or what is wrong with the store: when not every chat
    ///   with its notify mode can be read, none is given, for a list without a muted chat would unmute it.
    func chats(of spaceId: String) throws -> [ChatInfo] {
        try read { connection in
            try checkContent(of: spaceId, connection)
            let chats = try ChatTable(connection: connection).chats(of: spaceId)
            let generalId = ChatId.general(of: spaceId)
            let general = try info(
                chats.first { $0.id == generalId }, generalId, spaceId, connection
            )
            let others = try chats.filter { $0.isKnown && $0.id != generalId }
                .map { try info($0, $0.id, spaceId, connection) }
            return [general] + others
        }
    }

    /// The chats of a space as push needs them: nothing is looked up for each of them.
    ///
    /// - Throws: as ``chats(of:)``.
    func chatModes(of spaceId: String) throws -> [DirectoryChat] {
        try read { connection in
            try checkContent(of: spaceId, connection)
            let chats = try ChatTable(connection: connection).chats(of: spaceId)
            let generalId = ChatId.general(of: spaceId)
            let general = chats.first { $0.id == generalId }
            func row(_ chat: StoredChat?, _ id: String) -> DirectoryChat {
                let name = ChatInfo.shownName(chat?.name, isGeneral: id == generalId)
                return DirectoryChat(id: id, name: WireString(name), notifyMode: chat?.notifyMode)
            }
            return [row(general, generalId)]
                + chats.filter { $0.isKnown && $0.id != generalId }.map { row($0, $0.id) }
        }
    }

    /// One chat of a space.
    ///
    /// - Returns: `nil` when the space has no such chat.
    /// - Throws: as ``chats(of:)``.
    func chat(_ id: String, of spaceId: String) throws -> ChatInfo? {
        try read { connection in
            try checkContent(of: spaceId, connection)
            let chat = try ChatTable(connection: connection).chat(id, in: spaceId)
            guard id == ChatId.general(of: spaceId) || chat?.isKnown == true else { return nil }
            return try info(chat, id, spaceId, connection)
        }
    }

    /// Makes a chat.
    ///
    /// - Throws: ``ChatError/nameInvalid``, or an error of the space's row when the account may not write.
    func createChat(name: String, in spaceId: String) async throws -> ChatInfo {
        try checkName(name)
        try await prepareLog(of: spaceId)
        return try write { connection in
            let order = try makeChange(.createChat(name: name), in: spaceId, connection)
            let chat = try ChatTable(connection: connection).chat(order.changeId, in: spaceId)
            return try info(chat, order.changeId, spaceId, connection)
        }
    }

    /// Gives a chat another name.
    ///
    /// - Throws: ``ChatError/nameInvalid``, ``ChatError/chatNotFound``, or an error of the space's row when the account
    ///   may not write.
    func renameChat(_ id: String, name: String, in spaceId: String) async throws {
        try checkName(name)
        try await prepareLog(of: spaceId)
        try write { connection in
            guard try isChat(id, in: spaceId, connection) else { throw ChatError.chatNotFound }
            _ = try makeChange(.renameChat(chatId: id, name: name), in: spaceId, connection)
        }
    }

    /// Sets what this account wants to be notified of in a chat. It is private to the account.
    ///
    /// - Parameters:
    ///   - mode: a ``NotifyMode``; any other text is kept, for it may mean something to another version, and counts as none.
    ///     `nil` takes the override away.
    ///   - id: the chat.
    ///   - spaceId: its space, in which the account need not be active.
    /// - Throws: ``ChatError/chatNotFound``, ``SpaceError/notFound`` or ``SpaceError/deleted``.
    @discardableResult
    func setChatNotifyMode(_ mode: String?, of id: String, in spaceId: String) throws -> ChatWrite {
        try write { connection in
            try checkContent(of: spaceId, connection)
            guard try isChat(id, in: spaceId, connection) else { throw ChatError.chatNotFound }
            let chats = ChatTable(connection: connection)
            try chats.setNotifyMode(mode, of: try chats.number(of: id, in: spaceId))
            let table = SettingTable(connection: connection)
            try table.write(
                mode.map { .string($0) }, to: SettingsPatch.notifyModeKey, chat: id, of: spaceId,
                time: try table.tick(at: now()))
            tell(.chatModeWritten(spaceId: spaceId, chatId: id))
            tell(.chatChanged(spaceId: spaceId, chatId: id))
            return ChatWrite(ownOf: id, at: now())
        }
    }

    // MARK: Shared by the operations on chats

    /// Makes a change of the account's own and joins it.
    ///
    /// - Returns: its place in the chat's order.
    func makeChange(
        _ change: ChatChange, in spaceId: String, _ connection: SQLiteConnection
    ) throws -> ChangeOrder {
        let (_, log) = try writable(spaceId, connection)
        let seen = try change.chatId.flatMap { try ChatTable(connection: connection).chat($0, in: spaceId)?.counter }
        let content = ChangeContent(
            counter: min((seen ?? 0) + 1, ChangeContent.maximumCounter), createdAt: now(), kind: change.kind,
            body: change.marshalled()
        )
        let signed = try signedChange(content, in: spaceId, log)
        _ = try fold(spaceId, connection).join(signed, content)
        tell(.chatChanged(spaceId: spaceId, chatId: change.chatId ?? signed.id))
        return ChangeOrder(counter: content.counter, changeId: signed.id)
    }

    func fold(_ spaceId: String, _ connection: SQLiteConnection) -> ChatFold {
        ChatFold(connection: connection, spaceId: spaceId, account: keys.accountKey.publicKey)
    }

    /// Whether a space has a chat. The general one is always there.
    func isChat(_ id: String, in spaceId: String, _ connection: SQLiteConnection) throws -> Bool {
        if id == ChatId.general(of: spaceId) { return true }
        return try ChatTable(connection: connection).chat(id, in: spaceId)?.isKnown == true
    }

    /// Checks that an object is a chat of a space.
    ///
    /// - Throws: ``ChatError/noChat`` for another object of the space, ``ChatError/chatNotFound`` for none.
    func requireChat(_ id: String, in spaceId: String, _ connection: SQLiteConnection) throws {
        guard try !isChat(id, in: spaceId, connection) else { return }
        throw id == SpaceObject.index(of: spaceId) ? ChatError.noChat : ChatError.chatNotFound
    }

    /// Checks that the account has a space and has not lost what it holds.
    ///
    /// - Throws: ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func checkContent(of spaceId: String, _ connection: SQLiteConnection) throws {
        guard try !stored(spaceId, connection).isTombstone else { throw SpaceError.deleted }
    }

    private func checkName(_ name: String) throws(ChatError) {
        guard ChatText.isLine(name, ChatLimits.nameByteCount) else { throw .nameInvalid }
    }

    private func info(
        _ chat: StoredChat?, _ id: String, _ spaceId: String, _ connection: SQLiteConnection
    ) throws -> ChatInfo {
        let lastId = try chat.flatMap { chat in
            try MessageTable(connection: connection, chat: chat.number, chatId: id).lastId()
        }
        return ChatInfo(
            id: id, name: chat?.name, isGeneral: id == ChatId.general(of: spaceId), notifyMode: chat?.notifyMode,
            unreadCount: chat?.unread.messages ?? 0, unreadMentionCount: chat?.unread.mentions ?? 0,
            unreadReactionCount: chat?.unread.reactions ?? 0, lastMessageId: lastId
        )
    }
}
