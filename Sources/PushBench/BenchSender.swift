import ProtoWire
import PushCrypto
import PushNode

/// Someone who writes an ordinary message with one mention.
struct BenchSender: Sendable {
    let account = SigningKey()
    let mentioned = SigningKey().publicKey
    let keys: SpacePushKeys
    let payload: ChatPayload

    init() {
        keys = SpacePushKeys(spaceKey: SigningKey(), encryptionKey: SymmetricKey())
        payload = ChatPayload(
            spaceId: "bafyreiaxelwz3fkqvqcplaqqjefh6hla6v43rtiiu2jho4upmxvkpj2qku.2lcu0ysq9k3o1", isOneToOne: false,
            senderId: WireString(account.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: "bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
                msgId: "bafyreidg7yqtr4i5avlp2fn2eegjsu5xfnyl5i4hlpqdbqgexm6uc5m3hy", spaceName: "Project",
                chatName: "General", senderName: "Alice",
                text: WireString(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 5))
            )
        )
    }

    /// A notification as the sender makes it.
    func notification() throws -> OutgoingNotification {
        var composer = NotificationComposer(account: account)
        return try composer.newMessage(payload, mentions: [mentioned], keys: keys)
    }
}
