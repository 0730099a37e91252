import PushCrypto
import SQLiteStorage

/// Joins changes into a space's chats. Any order of the same changes gives the same chats; what is unread is this
/// account's own affair and may depend on when things came.
///
/// Changes that mean nothing here are kept all the same and go on in exports: kinds of newer software, contents that
/// are out of bounds, edits of somebody else's message. Refusing them would let one member make a space
/// that nobody can import.
struct ChatFold {
    let connection: SQLiteConnection
    let spaceId: String
    /// The account whose store it is.
    let account: PublicKey

    private var chats: ChatTable { ChatTable(connection: connection) }

    /// Joins a change whose author was judged.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - content: what it says.
    /// - Returns: the chat that changed, `nil` when none did.
    func join(_ change: SignedChange, _ content: ChangeContent) throws -> String? {
        guard try ChangeLog(connection: connection).add(change) else { return nil }
        guard let chatChange = try? ChatChange(content) else { return nil }
        let order = ChangeOrder(counter: content.counter, changeId: change.id)
        let chatId = chatChange.chatId ?? change.id
        let number = try chats.number(of: chatId, in: spaceId)
        try chats.saw(content.counter, in: number)
        switch chatChange {
        case .createChat(let name):
            try chats.make(number)
            try chats.name(number, name, order)
        case .renameChat(_, let name):
            try chats.name(number, name, order)
        case .message(let body):
            let creation = MessageState.Creation(
                order: order, author: change.author, createdAt: content.createdAt, body: body
            )
            try create(creation, in: table(number, chatId))
        case .edit(let message, let text, let agent):
            let edit = MessageState.Edit(order: order, editedAt: content.createdAt, text: text, agent: agent)
            let messages = table(number, chatId)
            guard let row = try messages.row(message.messageId) else {
                try messages.keepEarly(edit, of: message.messageId, by: change.author)
                return nil
            }
            guard try update(row, in: messages, { $0.edit(edit, by: change.author) }) else { return nil }
        case .delete(let message):
            let messages = table(number, chatId)
            guard let row = try messages.row(message.messageId) else {
                try messages.keepEarlyDeletion(of: message.messageId, by: change.author)
                return nil
            }
            guard try update(row, in: messages, { $0.delete(by: change.author) }) else { return nil }
        case .reaction(let message, let emoji, let isOn):
            let reaction = ChatMessage.Reaction(
                emoji: emoji, identity: change.author, reactedAt: content.createdAt
            )
            let messages = table(number, chatId)
            guard try react(reaction, isOn: isOn, on: message.messageId, order, in: messages) else { return nil }
        }
        return chatId
    }

    private func table(_ chat: Int64, _ chatId: String) -> MessageTable {
        MessageTable(connection: connection, chat: chat, chatId: chatId)
    }

    private func create(_ creation: MessageState.Creation, in messages: MessageTable) throws {
        let id = creation.order.changeId
        var message = StoredChatMessage(state: try messages.early(id))
        message.state.create(creation)
        let mentions = message.state.mentions
        if creation.author != account, !message.state.isDeleted {
            message.flags.isUnread = true
            message.flags.isUnreadMention = mentions.contains(account)
        }
        try messages.insert(message, mentions: mentions)
        try messages.dropEarly(id)
        if message.state.isDeleted { try reactions(messages).drop(id) }
        try chats.count(message.unread, in: messages.chat)
    }

    /// Joins a change of a message that is here.
    ///
    /// An edit that mentions this account and did not before makes an unread mention even of a message that was read:
    /// its author notifies of that too.
    ///
    /// - Returns: whether it changed anything.
    private func update(
        _ row: MessageColumns, in messages: MessageTable, _ change: (inout MessageState) -> Void
    ) throws -> Bool {
        let old = try row.message(in: messages.chatId)
        let before = try row.mentions()
        var new = old
        change(&new.state)
        guard new.state != old.state else { return false }
        let mentions = new.state.mentions
        if new.state.isDeleted {
            new.flags = MessageFlags()
            try reactions(messages).drop(row.id)
        } else if !mentions.contains(account) {
            new.flags.isUnreadMention = false
        } else if !before.contains(account), new.state.creation?.author != account {
            // What this account writes itself is read.
            new.flags.isUnreadMention = true
        }
        try messages.update(row.number, new, mentions: mentions, before: before)
        try chats.count(new.unread - old.unread, in: messages.chat)
        return true
    }

    /// Joins a reaction.
    ///
    /// - Returns: whether it changed anything.
    private func react(
        _ reaction: ChatMessage.Reaction, isOn: Bool, on id: String, _ order: ChangeOrder, in messages: MessageTable
    ) throws -> Bool {
        let message = try messages.row(id)?.message(in: messages.chatId)
        guard message?.state.isDeleted != true else { return false }
        guard try reactions(messages).join(reaction, isOn: isOn, on: id, order) else { return false }
        if isOn, reaction.identity != account, message?.state.creation?.author == account {
            try chats.count(try messages.markReactionsUnread(of: id), in: messages.chat)
        }
        return true
    }

    private func reactions(_ messages: MessageTable) -> ReactionTable {
        ReactionTable(connection: connection, chat: messages.chat)
    }
}
