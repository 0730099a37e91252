import AnySyncNet
import PushCrypto
import PushNode

/// One Notify from composing to the node's answer, over loopback on one connection: the CPU time of both ends.
enum RoundTripPath {
    private static let calls = 400
    private static let atOnce = 8

    static func run(_ report: inout Report) async throws {
        let node = try await BenchNode()
        let sender = BenchSender()
        let loop = try EventLoop()
        let endpoint = try Endpoint(
            eventLoop: loop,
            identity: LocalIdentity(account: sender.account, peer: SigningKey(), clientVersion: "push-bench")
        )
        let client = PushNodeClient(
            account: sender.account, node: node.location,
            dialer: Dialer(endpoint, transports: try BenchTransports.make(endpoint))
        )
        var crypto = Sample()
        var whole = Sample()
        for round in 0...10 {
            let primitives = try Self.primitives(sender)
            let start = Meter.cpuTime()
            try await notifyMany(sender, client)
            let time = (Meter.cpuTime() - start) / Double(calls)
            guard round > 0 else { continue }
            crypto.add(primitives)
            whole.add(time)
        }
        await client.close()
        await loop.shutdown()
        await node.stop()
        report.add(
            Row(
                name: "Notify round trip, \(atOnce) at once, CPU", whole, over: crypto.median, "sign + seal + verify",
                budget: 3
            )
        )
    }

    private static func notifyMany(_ sender: BenchSender, _ client: PushNodeClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    var composer = NotificationComposer(account: sender.account)
                    for _ in 0..<calls / atOnce {
                        let notification = try composer.newMessage(
                            sender.payload, mentions: [sender.mentioned], keys: sender.keys
                        )
                        try await client.send(notification)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The CPU time of one message's own cryptography at both ends, in nanoseconds.
    private static func primitives(_ sender: BenchSender) throws -> Double {
        let plaintext = try sender.payload.encoded(fitting: ProviderBudget.payloadByteCount)
        let start = Meter.cpuTime()
        for _ in 0..<calls {
            let sealed = try sender.keys.encryptionKey.seal(plaintext)
            let signature = sender.account.signature(for: sealed)
            keep(sender.account.publicKey.isValidSignature(signature, for: sealed))
        }
        return (Meter.cpuTime() - start) / Double(calls)
    }
}
