import PushNode

/// A chat of a space, as this account sees it.
struct ChatInfo: Hashable, Sendable {
    /// What the chat that every space has is called while nobody has named it.
    static let generalName = "general"

    /// What notifications call a chat: the general one, while nobody has named it, as commands do.
    static func shownName(_ name: String?, isGeneral: Bool) -> String {
        name ?? (isGeneral ? generalName : "")
    }

    let id: String
    /// `nil` for a general chat that nobody has named.
    let name: String?
    let isGeneral: Bool
    /// This account's override for the chat; private to it.
    let notifyMode: NotifyMode?
    let unreadCount: Int
    let unreadMentionCount: Int
    let unreadReactionCount: Int
    /// The newest message that is not deleted.
    let lastMessageId: String?

    /// `{id, name?, isGeneral, notifyMode?, unread, unreadMentions, unreadReactions, lastMessageId?}`.
    var json: JSONObject {
        var json: JSONObject = ["id": .string(id)]
        if let name { json["name"] = .string(name) }
        json["isGeneral"] = .bool(isGeneral)
        if let notifyMode { json["notifyMode"] = .string(notifyMode.rawValue) }
        json["unread"] = .integer(Int64(unreadCount))
        json["unreadMentions"] = .integer(Int64(unreadMentionCount))
        json["unreadReactions"] = .integer(Int64(unreadReactionCount))
        if let lastMessageId { json["lastMessageId"] = .string(lastMessageId) }
        return json
    }
}
