import ProtoWire
import PushCrypto
import PushNode

/// The sender's work for one message with warm caches: payload, seal, signatures, topics and request.
enum SenderPath {
    static func run(_ report: inout Report) throws {
        let account = SigningKey()
        let mentioned = SigningKey().publicKey
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        var composer = NotificationComposer(account: account)
        let payload = ChatPayload(
            spaceId: "bafyreiaxelwz3fkqvqcplaqqjefh6hla6v43rtiiu2jho4upmxvkpj2qku.2lcu0ysq9k3o1", isOneToOne: false,
            senderId: WireString(account.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: "bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
                msgId: "bafyreidg7yqtr4i5avlp2fn2eegjsu5xfnyl5i4hlpqdbqgexm6uc5m3hy", spaceName: "Project",
                chatName: "General", senderName: "Alice",
                text: WireString(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 5))
            )
        )
        let plaintext = try payload.encoded(fitting: ProviderBudget.payloadByteCount)
        let sealed = try keys.encryptionKey.seal(plaintext)
        let samples = try measure(rounds: 200, batch: 50, [
            { keep(account.signature(for: sealed)) },
            { keep(try keys.encryptionKey.seal(plaintext)) },
            { keep(try composer.newMessage(payload, mentions: [mentioned], keys: keys).request.encoded()) },
        ])
        report.add(
            Row(
                name: "sender: whole Notify", samples[2], over: samples[0].median + samples[1].median, "sign + seal",
                budget: 1.5
            )
        )
    }
}
