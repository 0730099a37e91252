import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// What somebody on the path between a client and its node can read (protocol.md §5).
@Suite(.timeLimit(.minutes(5))) struct CaptureTests {
    @Test(arguments: TestTransports.kinds)
    func tokensAndTopicsAreReadableOnBareYamuxOnly(kind: ConnectionKind) async throws {
        let directory = try TemporaryDirectory()
        let identity = LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "node")
        let configuration = NodeConfiguration(
            storePath: directory.file("node.db"), forwarders: [.ios: RecordingForwarder()]
        )
        var listen = ListenConfiguration(
            identity: identity, addresses: [Address(kind: kind, host: "127.0.0.1", port: 0)]
        )
        listen.transports = { try TestTransports.make($0) }
        let node = try await PushNodeServer.start(configuration, listen)
        let port = try #require(node.addresses.first).port
        let tap: any WireTap = kind == .quic ? try UDPProxy(to: port) : try TCPTap(to: port)
        let location = PushNodeLocation(
            peerId: identity.peerId, addresses: [Address(kind: kind, host: "127.0.0.1", port: tap.port)]
        )
        let client = try TestClient(of: location)
        let token = "8xQ2vZ7kLm4TtPb1RsWd9YcHnJf3GgUa5Ee6"
        let topic: WireString = "chats/0f1e2d3c4b5a69788796a5b4c3d2e1f0"
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        try await client.client.setToken(token, platform: .ios)
        try await client.client.subscribeAll([keys.sign(topic)])
        #expect(try await client.client.subscriptions().map(\.name) == [topic])

        let isReadable = kind == .yamux
        #expect(tap.shows(token) == isReadable)
        #expect(tap.shows(topic.string) == isReadable)
        let (sent, received) = tap.recorded
        #expect(sent.count > 500 && received.count > 500)
        // Said to whoever runs the client, too.
        guard case .connected(let path) = await client.client.status.state else {
            Issue.record("not connected")
            return
        }
        #expect(path.kind == kind && path.isEncrypted == !isReadable)
        #expect(path.address == "127.0.0.1:\(tap.port)")
        let warning = await client.client.status.warning
        #expect((warning != nil) == isReadable)

        await client.close()
        await node.stop(drain: .seconds(10))
        tap.stop()
    }
}
