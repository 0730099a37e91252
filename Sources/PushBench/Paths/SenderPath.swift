import PushAPI
import PushCrypto
import PushNode

/// The sender's work for one message with warm caches: payload, seal, signatures, topics and request.
enum SenderPath {
    static func run(_ report: inout Report) async throws {
        let sender = BenchSender()
        let plaintext = try sender.payload.encoded(fitting: ProviderBudget.payloadByteCount)
        let sealed = try sender.keys.encryptionKey.seal(plaintext)
        var composer = NotificationComposer(account: sender.account)
        let samples = try await measure(
            rounds: 200, batch: 50,
            [
                { keep(sender.account.signature(for: sealed)) },
                { keep(try sender.keys.encryptionKey.seal(plaintext)) },
                {
                    let notification = try composer.newMessage(
                        sender.payload, mentions: [sender.mentioned], keys: sender.keys
                    )
                    keep(notification.request.encoded())
                },
            ])
        report.add(
            Row(
                name: "sender: whole Notify", samples[2], over: samples[0].median + samples[1].median, "sign + seal",
                budget: 1.5
            )
        )
    }
}
