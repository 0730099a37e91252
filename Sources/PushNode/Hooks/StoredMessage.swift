public import ProtoWire
public import PushCrypto

/// A chat message as it was stored.
///
/// It holds what the user wrote, so it has no description of its own text.
public struct StoredMessage: Sendable {
    /// The space's id.
    public let spaceId: String
    /// The chat object's id.
    public let chatId: String
    /// The message's id.
    public let messageId: String
    /// The text, as bytes.
    public let text: WireString
    /// How many attachments it has.
    public let attachmentCount: Int
    /// Whom it mentions, in order, and the author it replies to: derived by the server, each once.
    public let mentions: [PublicKey]

    /// A message; see the properties.
    public init(
        spaceId: String, chatId: String, messageId: String, text: WireString, attachmentCount: Int,
        mentions: [PublicKey]
    ) {
        self.spaceId = spaceId
        self.chatId = chatId
        self.messageId = messageId
        self.text = text
        self.attachmentCount = attachmentCount
        self.mentions = mentions
    }
}

extension StoredMessage: CustomStringConvertible, CustomReflectable {
    /// The ids only.
    public var description: String { "StoredMessage(space \(spaceId), chat \(chatId), message \(messageId))" }

    public var customMirror: Mirror {
        Mirror(self, children: ["spaceId": spaceId, "chatId": chatId, "messageId": messageId], displayStyle: .struct)
    }
}

/// The names that a notification shows, and what kind of space it is from.
public struct ChatContext: Sendable {
    /// The space's name, empty when it has none.
    public let spaceName: WireString
    /// The chat's name, empty when it has none.
    public let chatName: WireString
    /// The account's own name, empty when it has none.
    public let senderName: WireString
    /// Whether the space's type is exactly `any.onetoone`.
    public let isOneToOne: Bool

    /// A context; see the properties.
    public init(spaceName: WireString, chatName: WireString, senderName: WireString, isOneToOne: Bool) {
        self.spaceName = spaceName
        self.chatName = chatName
        self.senderName = senderName
        self.isOneToOne = isOneToOne
    }
}

/// What ``PushHooks`` reads: keys and names. Every call returns soon after its task is cancelled.
public protocol ChatContextSource: SpaceKeyProvider {
    /// The names for a notification about a chat. One that can not be read is better empty than an error, which costs the
    /// notification.
    func context(of chatId: String, in spaceId: String) async throws -> ChatContext
}
