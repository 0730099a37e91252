public import ProtoWire

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
    /// The names for a notification about a chat. One that can not be read is better empty than an error, which costs
    /// the notification.
    func context(of chatId: String, in spaceId: String) async throws -> ChatContext
}
