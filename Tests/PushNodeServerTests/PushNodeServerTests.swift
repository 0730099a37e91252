import AnySyncNet
import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

@testable import PushNodeServer

/// The node behind real sockets, called by the project's own client.
@Suite(.timeLimit(.minutes(5))) struct PushNodeServerTests {
    @Test(arguments: TestTransports.kinds)
    func aClientSubscribesAndAnothersMessageReachesItsPhone(kind: ConnectionKind) async throws {
        let directory = try TemporaryDirectory()
        let spool = try SpoolForwarder(directory: directory.path, texts: DefaultTexts())
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let configuration = NodeConfiguration(
            storePath: directory.file("node.db"), forwarders: [.ios: spool, .android: spool]
        )
        let listen = try Self.listen(at: "\(kind)://127.0.0.1:0", "\(kind)://127.0.0.1:0")
        let node = try await PushNodeServer.start(configuration, listen)
        #expect(node.addresses.count == 2 && node.addresses.allSatisfy { $0.port != 0 })

        let location = PushNodeLocation(peerId: PeerId(publicKey: nodeKey.publicKey), addresses: node.addresses)
        let receiver = try TestClient(of: location)
        try await receiver.client.setToken("phone", platform: .android)
        try await receiver.client.createSpace(keys)
        try await receiver.client.subscribeAll([keys.sign("chats")])
        let topics = try await receiver.client.subscriptions()
        #expect(topics == [SubscribedTopic(spaceKey: keys.spaceKey.publicKey.rawRepresentation, name: "chats")])

        let sender = try TestClient(of: location)
        try await sender.notify([1, 2, 3], [keys.sign("chats")])
        var topic = Topic(keys.sign("chats"))
        topic.signature[0] ^= 1
        let forged = NotifyRequest(topics: Topics([topic]), message: nil, groupId: "group")
        await #expect(throws: PushNodeError.refused(.invalidTopicSignature)) {
            try await sender.client.send(OutgoingNotification(kind: .silent, request: forged))
        }
        let status = await node.status
        #expect(status.network.establishedIncoming == [kind: 2])
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
        await #expect {
            var listen = try Self.listen(at: "quic://127.0.0.1:0")
            listen.transports = { [TCPTransport($0)] }
            _ = try await PushNodeServer.start(second, listen)
        } throws: { error in
            if case .cannotListen(.notSupported(.quic)) = error as? NodeError { true } else { false }
        }
        // Its store was closed again.
        let third = try await PushNodeServer.start(second, Self.listen(at: "yamux://127.0.0.1:0"))
        await third.stop(drain: .zero)
        await node.stop(drain: .zero)
    }

    @Test func quicIsOffUnlessATransportIsGiven() async throws {
        let directory = try TemporaryDirectory()
        let configuration = NodeConfiguration(
            storePath: directory.file("node.db"), forwarders: [.ios: RecordingForwarder()]
        )
        var listen = try Self.listen(at: "yamux://127.0.0.1:0", "quic://127.0.0.1:0")
        listen.transports = ListenConfiguration(identity: listen.identity, addresses: []).transports
        let plain = listen
        await #expect {
            try await PushNodeServer.start(configuration, plain)
        } throws: { error in
            if case .cannotListen(.notSupported(.quic)) = error as? NodeError { true } else { false }
        }
    }

    private static func listen(at addresses: String...) throws -> ListenConfiguration {
        let identity = LocalIdentity(account: SigningKey(), peer: nodeKey, clientVersion: "node")
        var listen = ListenConfiguration(identity: identity, addresses: try addresses.map { try Address($0) })
        listen.transports = { try TestTransports.make($0) }
        return listen
    }
}

private let nodeKey = SigningKey()
