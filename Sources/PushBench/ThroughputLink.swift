import AnySyncNet
import PushAPI
import PushCrypto
import PushNode

/// A sender and a subscriber of its space, both clients of one node.
struct ThroughputLink {
    let node: RemoteNode
    private let loop: EventLoop
    private let sender = BenchSender()
    private let client: PushNodeClient
    private let mentions: [PublicKey]

    /// - Parameter topics: how many topics each notification names beyond those of its chat.
    init(_ node: RemoteNode, topics: Int) async throws {
        self.node = node
        loop = try EventLoop()
        mentions = (0..<topics).map { _ in SigningKey().publicKey }
        client = try Self.client(of: sender.account, node, loop)
        let reader = SigningKey()
        let subscriber = try Self.client(of: reader, node, loop)
        try await subscriber.setToken("a token", platform: .android)
        try await subscriber.subscribeAll([sender.keys.sign(TopicName.chats)])
        await subscriber.close()
    }

    private static func client(
        of account: SigningKey, _ node: RemoteNode, _ loop: EventLoop
    ) throws -> PushNodeClient {
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "push-bench")
        let endpoint = try Endpoint(eventLoop: loop, identity: identity)
        return PushNodeClient(
            account: account, node: node.location,
            dialer: Dialer(endpoint, transports: try BenchTransports.make(endpoint))
        )
    }

    /// Composes and sends so many, so many at once.
    ///
    /// - Returns: the time of each call, in nanoseconds.
    func notify(_ count: Int, atOnce: Int) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<atOnce {
                group.addTask { [sender, client, mentions] in
                    var composer = NotificationComposer(account: sender.account)
                    var times: [Double] = []
                    for _ in 0..<count / atOnce {
                        let notification = try composer.newMessage(
                            sender.payload, mentions: mentions, keys: sender.keys)
                        let start = Meter.wallTime()
                        try await client.send(notification)
                        times.append(Meter.wallTime() - start)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    func stop() async {
        await client.close()
        await loop.shutdown()
    }
}
