import PushCrypto

/// A message of a chat, as this account sees it.
///
/// It holds what somebody wrote, so its description shows the ids only.
struct ChatMessage: Hashable, Sendable {
    let id: String
    let chatId: String
    /// Where it stands in the chat; edits do not move it.
    let versionId: String
    let creator: PublicKey
    /// In milliseconds since 1970, as its author has it.
    let createdAt: Int64
    /// When it was edited last; ``createdAt`` when it never was.
    let modifiedAt: Int64
    let text: String
    let replyTo: String?
    let extras: MessageExtras
    /// Whether this is what is left of a deleted message: nothing of what it said.
    let isDeleted: Bool
    let mentions: [PublicKey]
    let reactions: [Reaction]
    let isUnread: Bool
    let isUnreadMention: Bool
    let hasUnreadReactions: Bool

    /// One member's reaction.
    struct Reaction: Hashable, Sendable {
        let emoji: String
        let identity: PublicKey
        /// In milliseconds since 1970, as the member has it.
        let reactedAt: Int64
    }

    /// The record of the dataset `chat_messages`. `modifiedAt` equals `createdAt` on a message that was never edited;
    /// `mentions`, `reactions` and the extras are left out when there are none, and what is read when it is. A deleted
    /// message has `"deleted": true` in the place of all that it said.
    var record: JSONObject {
        var record: JSONObject = [
            "id": .string(id), "creator": .string(creator.accountAddress), "createdAt": Timestamp.json(createdAt),
        ]
        guard !isDeleted else {
            record["deleted"] = true
            record["_ver"] = ["id": .string(versionId)]
            return record
        }
        record["modifiedAt"] = Timestamp.json(modifiedAt)
        record["text"] = .string(text)
        if let replyTo { record["replyToMessageId"] = .string(replyTo) }
        for field in extras.fields.fields { record[field.name] = field.value }
        if !mentions.isEmpty { record["mentions"] = .array(mentions.map { .string($0.accountAddress) }) }
        if !reactions.isEmpty { record["reactions"] = .object(reactionsByEmoji) }
        if isUnread { record["unread"] = true }
        if isUnreadMention { record["unreadMention"] = true }
        if hasUnreadReactions { record["unreadReactions"] = true }
        record["_ver"] = ["id": .string(versionId)]
        return record
    }

    private var reactionsByEmoji: JSONObject {
        var byEmoji = JSONObject()
        for (emoji, reactions) in Dictionary(grouping: reactions, by: \.emoji).sorted(by: { $0.key < $1.key }) {
            let byIdentity = reactions.map { ($0.identity.accountAddress, Timestamp.json($0.reactedAt)) }
            byEmoji[emoji] = .object(JSONObject(byIdentity))
        }
        return byEmoji
    }
}

extension ChatMessage: CustomStringConvertible, CustomReflectable {
    var description: String { "ChatMessage(\(id) in chat \(chatId))" }
    var customMirror: Mirror { Mirror(self, children: ["id": id, "chatId": chatId], displayStyle: .struct) }
}
