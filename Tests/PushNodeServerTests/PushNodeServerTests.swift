import AnySyncNet
import FoundationEssentials
import ProtoWire
import PushCrypto
import PushNode
import Testing
@testable import PushNodeServer

/// The node behind real sockets, called by the project's own client.
@Suite(.timeLimit(.minutes(2))) struct PushNodeServerTests {
    @Test func aClientSubscribesAndAnothersMessageReachesItsPhone() async throws {
        let directory = try TemporaryDirectory()
        let spool = try SpoolForwarder(directory: directory.path, texts: DefaultTexts())
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let configuration = NodeConfiguration(
            storePath: directory.file("node.db"), forwarders: [.ios: spool, .android: spool]
        )
        let node = try await PushNodeServer.start(configuration, Self.listen(at: "yamux://127.0.0.1:0", "tls+yamux://127.0.0.1:0"))
        #expect(node.addresses.count == 2 && node.addresses.allSatisfy { $0.port != 0 })

        let receiver = try TestClient(of: node)
        try await receiver.client.setToken("phone", platform: .android)
        try await receiver.client.createSpace(keys)
        try await receiver.client.subscribeAll([keys.sign("chats")])
        let topics = try await receiver.client.subscriptions()
        #expect(topics == [SubscribedTopic(spaceKey: keys.spaceKey.publicKey.rawRepresentation, name: "chats")])

        let sender = try TestClient(of: node)
        let payload: [UInt8] = [1, 2, 3]
        let message = NotifyRequest.Message(
            keyId: "key", payload: payload, signature: sender.account.signature(for: payload)
        )
        let request = NotifyRequest(topics: Topics([Topic(keys.sign("chats"))]), message: message, groupId: "group")
        try await sender.client.send(OutgoingNotification(kind: .normal, request: request))
        var forged = request
        forged.topics?.topics[0].signature[0] ^= 1
        await #expect(throws: PushNodeError.refused(.invalidTopicSignature)) {
            try await sender.client.send(OutgoingNotification(kind: .normal, request: forged))
        }
        let status = await node.status
        #expect(status.network.openIncoming == 2 && status.calls.failed == [1202: 1])
        #expect(status.node.service.refused == [.invalidTopicSignature: 1])

        await receiver.close()
        await sender.close()
        await node.stop(drain: .seconds(10))
        await node.stop(drain: .seconds(10))
        let lines = try #require(FileManager.default.contents(atPath: directory.file(SpoolForwarder.fileName)))
        let text = String(decoding: lines, as: UTF8.self)
        #expect(text.split(separator: "\n").count == 1)
        #expect(text.contains("\"x-any-payload\":\"AQID\"") && text.contains("\"token\":\"phone\""))
    }

    @Test func anAddressThatCanNotBeBoundLeavesNothingRunning() async throws {
        let directory = try TemporaryDirectory()
        let configuration = NodeConfiguration(
            storePath: directory.file("node.db"), forwarders: [.ios: RecordingForwarder()]
        )
        let node = try await PushNodeServer.start(configuration, Self.listen(at: "yamux://127.0.0.1:0"))
        let taken = try #require(node.addresses.first)
        var second = configuration
        second.storePath = directory.file("second.db")
        await #expect {
            try await PushNodeServer.start(second, Self.listen(at: "yamux://127.0.0.1:0", taken.description))
        } throws: { error in
            if case .cannotListen = error as? NodeError { true } else { false }
        }
        // Its store was closed again.
        let third = try await PushNodeServer.start(second, Self.listen(at: "yamux://127.0.0.1:0"))
        await third.stop(drain: .zero)
        await node.stop(drain: .zero)
    }

    private static func listen(at addresses: String...) throws -> ListenConfiguration {
        let identity = LocalIdentity(account: SigningKey(), peer: nodeKey, clientVersion: "node")
        return ListenConfiguration(identity: identity, addresses: try addresses.map { try Address($0) })
    }
}

private let nodeKey = SigningKey()

/// A client with an account, a device and a loop of its own.
private struct TestClient {
    let account = SigningKey()
    let client: PushNodeClient
    private let loop: EventLoop

    init(of node: PushNodeServer) throws {
        loop = try EventLoop()
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "client")
        let endpoint = try Endpoint(eventLoop: loop, identity: identity)
        client = PushNodeClient(
            account: account,
            node: PushNodeLocation(peerId: PeerId(publicKey: nodeKey.publicKey), addresses: node.addresses),
            dialer: Dialer(endpoint, transports: [TCPTransport(endpoint)])
        )
    }

    func close() async {
        await client.close()
        await loop.shutdown()
    }
}
