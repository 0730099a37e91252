import PushCrypto
import SQLiteStorage

/// A message as the store has it: what its changes have made of it, and what this account has not read of it.
struct StoredChatMessage: Sendable {
    var state: MessageState
    var flags = MessageFlags()

    /// What of the message counts as unread.
    var unread: UnreadCounts {
        UnreadCounts(
            messages: flags.isUnread ? 1 : 0, mentions: flags.isUnreadMention ? 1 : 0,
            reactions: flags.hasUnreadReactions ? 1 : 0
        )
    }
}

/// What this account has not read of a message. Private to it.
struct MessageFlags: Hashable, Sendable {
    var isUnread = false
    /// It mentions this account, which has not read that.
    var isUnreadMention = false
    /// It is this account's, which has not read the reactions of others.
    var hasUnreadReactions = false
}

/// The columns of a message's row as they are read.
struct MessageColumns {
    let number: Int64
    let id: String
    let version: String
    private let creator: [UInt8]
    private let createdAt: Int64
    private let body: [UInt8]
    private let editVersion: String
    private let editedAt: Int64
    private let editedText: String?
    private let editedAgent: [UInt8]?
    private let mentionBytes: [UInt8]
    private let isDeleted: Bool
    let flags: MessageFlags

    init(_ row: SQLiteConnection.Row) {
        number = row.integer(0)
        id = row.text(1)
        version = row.text(2)
        creator = row.bytes(3)
        createdAt = row.integer(4)
        body = row.bytes(5)
        editVersion = row.text(6)
        editedAt = row.integer(7)
        editedText = row.isNull(8) ? nil : row.text(8)
        editedAgent = row.isNull(9) ? nil : row.bytes(9)
        mentionBytes = row.bytes(10)
        isDeleted = row.integer(11) != 0
        flags = MessageFlags(
            isUnread: row.integer(12) != 0, isUnreadMention: row.integer(13) != 0,
            hasUnreadReactions: row.integer(14) != 0
        )
    }

    /// Whom it mentions, as it was stored.
    func mentions() throws -> [PublicKey] {
        do {
            return try stride(from: 0, to: mentionBytes.count, by: PublicKey.byteCount).map { start in
                try PublicKey(rawRepresentation: mentionBytes[start...].prefix(PublicKey.byteCount))
            }
        } catch {
            throw damage
        }
    }

    func message(in chatId: String) throws -> StoredChatMessage {
        guard
            let creator = try? PublicKey(rawRepresentation: creator), let order = ChangeOrder(versionId: version)
        else { throw damage }
        let body: MessageBody
        if isDeleted {
            body = MessageBody(chatId: chatId, text: "")
        } else {
            guard let stored = try? MessageBody(self.body) else { throw damage }
            body = stored
        }
        var edits: [PublicKey: MessageState.Edit] = [:]
        if let editedText {
            guard let order = ChangeOrder(versionId: editVersion) else { throw damage }
            guard let agent = MessageState.Edit.storedAgent(editedAgent) else { throw damage }
            edits[creator] = MessageState.Edit(order: order, editedAt: editedAt, text: editedText, agent: agent)
        }
        let creation = MessageState.Creation(order: order, author: creator, createdAt: createdAt, body: body)
        let state = MessageState(creation: creation, edits: edits, deleters: isDeleted ? [creator] : [])
        return StoredChatMessage(state: state, flags: flags)
    }

    private var damage: SpaceError { .damaged("message \(id)") }
}

extension MessageState.Edit {
    /// The agent as it is stored; `nil` for none.
    var agentBytes: [UInt8]? { agent.map { JSONWriter.bytes(.object($0)) } }

    /// The agent that was stored.
    ///
    /// - Returns: `nil` for what is damaged.
    static func storedAgent(_ bytes: [UInt8]?) -> JSONObject?? {
        guard let bytes else { return .some(.none) }
        guard let agent = (try? JSONParser.parse(bytes))?.object else { return .none }
        return agent
    }
}
