import ProtoWire
import PushCrypto

/// Composes the notifications of all hooks: an actor, because the composer keeps signatures.
actor HookComposer {
    private let senderId: WireString
    private var composer: NotificationComposer

    init(account: SigningKey) {
        senderId = WireString(account.publicKey.accountAddress)
        composer = NotificationComposer(account: account)
    }

    func message(
        _ message: StoredMessage, in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        try composer.newMessage(payload(message, context), mentions: message.mentions, keys: keys)
    }

    func edit(
        _ message: StoredMessage, newMentions: [PublicKey], in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification? {
        try composer.edit(payload(message, context), newMentions: newMentions, keys: keys)
    }

    func read(_ reading: ChatReading, keys: SpacePushKeys) throws(ComposeError) -> OutgoingNotification {
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
