import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport

/// A client with an account, a device and a loop of its own.
struct TestClient {
    let account: SigningKey
    let client: PushNodeClient
    private let loop: EventLoop

    init(of node: PushNodeLocation, account: SigningKey = SigningKey()) throws {
        self.account = account
        loop = try EventLoop()
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "client")
        let endpoint = try Endpoint(eventLoop: loop, identity: identity)
        let dialer = Dialer(endpoint, transports: try TestTransports.make(endpoint))
        // A machine that runs all tests at once is slow to answer.
        var limits = PushNodeClient.Limits()
        limits.callTimeout = .seconds(60)
        client = PushNodeClient(account: account, node: node, dialer: dialer, limits: limits)
    }

    func notify(_ payload: [UInt8], _ topics: [SignedTopic]) async throws(PushNodeError) {
        let message = NotifyRequest.Message(keyId: "key", payload: payload, signature: account.signature(for: payload))
        let request = NotifyRequest(topics: Topics(topics.map(Topic.init)), message: message, groupId: "group")
        try await client.send(OutgoingNotification(kind: .normal, request: request))
    }

    func close() async {
        await client.close()
        await loop.shutdown()
    }
}
