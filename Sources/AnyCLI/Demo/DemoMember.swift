import AnySyncNet
import AnySyncQUIC
import PushCrypto
import PushNode

/// One member of the space with an `any` server of their own: the ACL log, the client of the node, and the queue.
final class DemoMember {
    let account: SigningKey
    var log: ACLLog
    var composer: NotificationComposer
    let client: PushNodeClient
    let queue: NotifyQueue
    let attempts: Attempts
    private let loop: EventLoop

    init(_ account: SigningKey, log: ACLLog, node: PushNodeLocation) throws {
        self.account = account
        self.log = log
        loop = try EventLoop()
        let endpoint = try Endpoint(
            eventLoop: loop,
            identity: LocalIdentity(
                account: account, peer: SigningKey(), clientVersion: "any-demo:v\(AnyCommand.version)"
            )
        )
        client = PushNodeClient(
            account: account, node: node,
            dialer: Dialer(endpoint, transports: [TCPTransport(endpoint), try QUICTransport(endpoint)])
        )
        attempts = Attempts(client)
        queue = NotifyQueue(sender: attempts)
        composer = NotificationComposer(account: account)
    }

    /// The space's keys as the log has them now.
    func keys() throws -> SpacePushKeys {
        try log.state.pushKeys()
    }

    func shutdown() async {
        await queue.shutdown()
        await client.close()
        await loop.shutdown()
    }

    /// Counts the tries of the queue on their way to the client.
    actor Attempts: NotificationSender {
        private let client: PushNodeClient
        private(set) var count = 0
        private var waiters: [CheckedContinuation<Void, Never>] = []

        init(_ client: PushNodeClient) {
            self.client = client
        }

        func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
            count += 1
            for waiter in waiters { waiter.resume() }
            waiters = []
            try await client.send(notification)
        }

        /// Waits for a try after the first `count`.
        func next(after count: Int) async {
            while self.count <= count {
                await withCheckedContinuation { waiters.append($0) }
            }
        }
    }
}
