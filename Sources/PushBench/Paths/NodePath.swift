import FoundationEssentials
import ProtoWire
import PushCrypto
import PushNode
import PushNodeServer

/// The node's work for one notification whose topics it has seen before: decode, check topics and message.
enum NodePath {
    static func run(_ report: inout Report) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("push-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await SQLiteStore.open(
            path: directory.appendingPathComponent("node.db").path, lanes: [.ios], now: SystemClock().now
        )
        let service = PushService(
            store: store, clock: SystemClock(), limits: ServiceLimits(),
            delivery: PushService.DeliverySettings(
                texts: DefaultTexts(), lifetime: .seconds(60), lanes: [.ios], queued: { _ in }, storeFailed: { _ in }
            )
        )
        let account = SigningKey()
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let groupId = GroupId(chatId: "bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku")
        let mentioned = SigningKey().publicKey
        let topics = TopicName.newMessage(in: groupId, mentions: [mentioned]).map { Topic(keys.sign($0)) }
        let payload = [UInt8](repeating: 7, count: 700)
        let signature = account.signature(for: payload)
        let request = NotifyRequest(
            topics: Topics(topics),
            message: NotifyRequest.Message(
                keyId: WireString(keys.encryptionKeyId), payload: payload, signature: signature
            ),
            groupId: WireString(groupId.text)
        ).encoded()
        let caller = Caller(identity: account.publicKey, peerId: PeerId(publicKey: SigningKey().publicKey))
        // A silent notification passes the same checks, and as none of its topics is the caller's own, ends with them.
        let rpc = PushRPC.notifySilent.rawValue
        var verify = Sample()
        var node = Sample()
        let batch = 50
        for round in 0...200 {
            let start = Meter.wallTime()
            for _ in 0..<batch { keep(account.publicKey.isValidSignature(signature, for: payload)) }
            let middle = Meter.wallTime()
            for _ in 0..<batch { keep(try await service.handle(rpc, request: request, caller: caller)) }
            let end = Meter.wallTime()
            guard round > 0 else { continue }
            verify.add((middle - start) / Double(batch))
            node.add((end - middle) / Double(batch))
        }
        await store.close()
        report.add(
            Row(name: "node: verify one Notify, 4 known topics", node, over: verify.median, "verify", budget: 1.5)
        )
    }
}
