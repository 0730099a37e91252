import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

extension Attack {
    /// Answers that nobody takes: each waits at the node, whole.
    static let unreadAnswers = Attack(
        name: "unread-answers",
        abstract: "4 connections of 250 streams that ask for 2,800 subscriptions and never read",
        kinds: [.yamux, .tlsYamux, .quic]
    ) { site in
        let account = SigningKey()
        let loop = try EventLoop()
        let first = try AttackPeer(site.node, on: loop, account: account)
        try await subscribe(first, topics: site.scale.count(2800))
        site.begun()
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while !Task.isCancelled {
                        if let peer = try? AttackPeer(site.node, on: loop, account: account) {
                            await ask(peer, streams: 250, site.tally)
                        }
                        try? await Task.sleep(for: .milliseconds(200))
                    }
                }
            }
        }
    }

    private static func subscribe(_ peer: AttackPeer, topics count: Int) async throws {
        let connection = try await peer.dial()
        let keys = SpacePushKeys(spaceKey: SigningKey(), encryptionKey: SymmetricKey())
        let topics = (0..<count).map { Topic(keys.sign(WireString("chats/\(String(repeating: "0", count: 60))\($0)"))) }
        _ = try await AttackPeer.client(connection, streams: 1).call(
            PushRPC.subscribeAll.rawValue, TopicsMessage(topics: Topics(topics)).encoded(), timeout: .seconds(30))
        await connection.close(.local)
    }

    /// Asks on each stream of a connection, and then only waits for the connection's end.
    private static func ask(_ peer: AttackPeer, streams count: Int, _ tally: Tally) async {
        guard let connection = try? await peer.dial() else { return tally.add("dials refused") }
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        let stream = try await RawStream.open(on: connection)
                        for number in 1...4 as ClosedRange<UInt64> {
                            try await stream.write(RawStream.call(.subscriptions, [], number: number))
                        }
                        tally.add("answers asked for", 4)
                    } catch {
                        tally.add("streams refused")
                    }
                }
            }
        }
        _ = await connection.waitUntilClosed()
        tally.add("connections lost")
    }
}
