import ProtoWire
public import PushCrypto

/// Composes the notifications of what happens in chats, for ``PushHooks`` and for hosts that write them to an outbox of
/// their own in the same transaction (see ``NotificationOutbox``).
///
/// It only computes: no I/O, and nothing that it keeps matters when the transaction comes to nothing.
public struct HookComposer: Sendable {
    private let senderId: WireString
    private var composer: NotificationComposer

    /// A composer for one account.
    ///
    /// - Parameter account: the account key, which signs what is sent.
    public init(account: SigningKey) {
        senderId = WireString(account.publicKey.accountAddress)
        composer = NotificationComposer(account: account)
    }

    /// The notification of a message that was sent: to the chat and those it mentions.
    ///
    /// - Parameters:
    ///   - message: the message as it is stored, with the mentions that the server derived.
    ///   - context: the names to show.
    ///   - keys: the space's keys, current.
    /// - Throws: ``ComposeError``.
    public mutating func message(
        _ message: StoredMessage, in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        try composer.newMessage(payload(message, context), mentions: message.mentions, keys: keys)
    }

    /// The notification of an edit: to those whom the message mentions now and did not before.
    ///
    /// - Parameters:
    ///   - message: the message as it is stored now.
    ///   - newMentions: the identities that were not mentioned before, in order.
    ///   - context: the names to show.
    ///   - keys: the space's keys, current.
    /// - Returns: `nil` when nobody is newly mentioned: nothing is to be sent.
    /// - Throws: ``ComposeError``.
    public mutating func edit(
        _ message: StoredMessage, newMentions: [PublicKey], in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification? {
        try composer.edit(payload(message, context), newMentions: newMentions, keys: keys)
    }

    /// The silent notification to the account's own devices that a chat was read.
    ///
    /// - Parameters:
    ///   - reading: what was read.
    ///   - keys: the space's keys, current.
    /// - Throws: ``ComposeError``.
    public mutating func read(
        _ reading: ChatReading, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        let payload = ReadPayload(
            spaceId: WireString(reading.spaceId), senderId: senderId, chatId: WireString(reading.chatId),
            lastMessageId: WireString(reading.lastMessageId ?? ""), readAt: reading.readAt
        )
        return try composer.read(payload, keys: keys)
    }

    private func payload(_ message: StoredMessage, _ context: ChatContext) -> ChatPayload {
        ChatPayload(
            spaceId: WireString(message.spaceId), isOneToOne: context.isOneToOne, senderId: senderId,
            newMessage: ChatPayload.NewMessage(
                chatId: WireString(message.chatId), msgId: WireString(message.messageId),
                spaceName: context.spaceName, chatName: context.chatName, senderName: context.senderName,
                text: message.text,
                attachments: Array(repeating: ChatPayload.Attachment(), count: max(message.attachmentCount, 0))
            )
        )
    }
}
