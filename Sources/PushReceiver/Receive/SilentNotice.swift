import ProtoWire
public import PushCrypto

/// A request to take notifications of a chat back, since it was read on another device of the account.
public struct SilentNotice: Hashable, Sendable {
    /// The group id that came with it, `nil` when the sender gave none. The node's word, under nobody's signature.
    public let groupId: String?
    /// What one of this device's accounts says, under its signature; `nil` when there is nothing, or nothing to be believed.
    public let reading: SignedReading?

    /// A notice; see the properties.
    init(groupId: String?, reading: SignedReading? = nil) {
        self.groupId = groupId
        self.reading = reading
    }
}

/// That a chat was read, in the words of the account that read it.
public struct SignedReading: Hashable, Sendable {
    /// The account, one of this device's.
    public let account: PublicKey
    /// The space's id.
    public let spaceId: String
    /// The chat object's id.
    public let chatId: String
    /// The last message that was read, with all before it; empty when that is not known.
    public let lastMessageId: String
    /// When it was read, in milliseconds since 1970, by the clock of the account's other device.
    public let readAt: Int64

    /// What the chat's notifications are taken back by.
    public var groupId: String { GroupId(chatId: chatId).text }

    init(_ payload: ReadPayload, by account: PublicKey) {
        self.account = account
        spaceId = payload.spaceId.string
        chatId = payload.chatId.string
        lastMessageId = payload.lastMessageId.string
        readAt = payload.readAt
    }
}
