import AnySyncNet
import Locks
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

@testable import AnyServer

/// Bursts of messages on a healthy node, from any number of writers: every notification arrives, once.
@Suite(.timeLimit(.minutes(5))) struct BurstTests {
    private static let messages = 300

    @Test(arguments: [(writers: 1, chats: 1), (4, 1), (16, 1), (50, 1), (16, 5)])
    func everyMessageArrivesOnce(writers: Int, chats: Int) async throws {
        let tray = Tray()
        try await withNode(tray) { location in
            let audience = try await Audience(at: location)
            try await withAnyServer(push: location) { live in
                let first = try ServerClient(live.server.address)
                let space = try await audience.follow(newSpaceOf: first)
                var chatIds = [ChatId.general(of: space)]
                while chatIds.count < chats {
                    let made = try await first.post("/v1/spaces/\(space)/chats", ["name": .string("\(chatIds.count)")])
                    chatIds.append(try #require(made.string("id")))
                }
                let sent = try await Self.write(by: writers, to: chatIds, in: space, of: live.server.address)
                #expect(sent.count == Self.messages)
                await eventually { tray.payloads.count >= Self.messages }
                var arrived: [String] = []
                for payload in tray.payloads { arrived.append(try await audience.messageId(payload, in: space)) }
                #expect(arrived.count == Self.messages && Set(arrived) == Set(sent))
                if writers == 1 { #expect(arrived == sent, "in the order in which they were written") }
                let status = try await first.get("/v1/push/status")
                #expect(status.object("queue")?.integer("dropped") == 0)
                #expect(status.object("hooks")?.integer("dropped") == 0)
                #expect(status.object("queue")?["lost"] == nil)
                first.close()
            }
            await audience.end()
        }
    }

    /// Each writer sends its part over a connection of its own, as fast as it is answered.
    private static func write(
        by writers: Int, to chats: [String], in space: String, of address: String
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let client = try ServerClient(address)
                    defer { client.close() }
                    var ids: [String] = []
                    for number in stride(from: writer, to: messages, by: writers) {
                        ids.append(try await client.send("\(number)", to: chats[number % chats.count], in: space))
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func withNode(_ tray: Tray, _ test: (PushNodeLocation) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let key = SigningKey()
        let configuration = NodeConfiguration(storePath: folder.path("node.db"), forwarders: [.android: tray])
        let identity = LocalIdentity(account: SigningKey(), peer: key, clientVersion: "node")
        let listen = ListenConfiguration(identity: identity, addresses: [try Address("yamux://127.0.0.1:0")])
        let node = try await PushNodeServer.start(configuration, listen)
        do {
            try await test(
                PushNodeLocation(peerId: PeerId(publicKey: key.publicKey), addresses: node.addresses))
        } catch {
            await node.stop(drain: .zero)
            throw error
        }
        await node.stop(drain: .zero)
    }

    /// Keeps what a phone gets.
    private final class Tray: Forwarder {
        private let state = SystemLock<[[UInt8]]>([])

        var payloads: [[UInt8]] { state.withLock { $0 } }

        func message(_ content: NotificationContent, for platform: Platform) throws(PayloadFault) -> [UInt8] {
            content.message?.payload ?? []
        }

        func deliver(_ message: [UInt8], _ delivery: Delivery) async -> DeliveryOutcome {
            state.withLock { $0.append(message) }
            return .delivered
        }
    }
}
