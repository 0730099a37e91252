/// That the account read a chat, here.
public struct ChatReading: Hashable, Sendable {
    /// The space's id.
    public let spaceId: String
    /// The chat object's id.
    public let chatId: String
    /// The last message that was read, with all before it; `nil` when that is not known, or there is none.
    public let lastMessageId: String?
    /// When it was read, in milliseconds since 1970.
    public let readAt: Int64

    /// A reading; see the properties.
    public init(spaceId: String, chatId: String, lastMessageId: String?, readAt: Int64) {
        self.spaceId = spaceId
        self.chatId = chatId
        self.lastMessageId = lastMessageId
        self.readAt = readAt
    }
}
