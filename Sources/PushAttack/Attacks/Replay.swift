import AnySyncNet
import AnySyncWire
import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

extension Attack {
    /// A signed message that was seen once is sent again.
    static let replay = Attack(
        name: "replay", abstract: "the same signed message, 5 times, and 5 times again after a restart of the node",
        kinds: [.tlsYamux, .quic], isRepeatedAfterRestart: true, deliveriesOfEach: 1
    ) { site in
        let loop = try EventLoop()
        let message = try await Message.load(site, loop)
        let connection = try await AttackPeer(site.node, on: loop, account: message.account).dial()
        let client = AttackPeer.client(connection, streams: 1)
        for _ in 0..<5 {
            _ = try await client.call(PushRPC.notify.rawValue, message.request, timeout: .seconds(10))
            site.tally.add("accepted")
        }
        site.begun()
    }

    static let replayToken = "watched-replay"
}

/// The message of the round, kept in a file for its second half.
private struct Message {
    let account: SigningKey
    let request: [UInt8]

    /// Reads the message, or makes it and registers a device that gets it.
    static func load(_ site: Site, _ loop: EventLoop) async throws -> Message {
        let path = site.folder + "/replayed"
        if let data = FileManager.default.contents(atPath: path) {
            // A marshalled key takes 68 bytes.
            return Message(
                account: try SigningKey(marshalled: Array(data.prefix(68))), request: Array(data.dropFirst(68)))
        }
        let account = SigningKey()
        let space = AttackSpace()
        try await AttackPeer(site.node, on: loop).register(Attack.replayToken, for: [space])
        let message = Message(account: account, request: space.notification(from: account))
        try Data(account.marshalled() + message.request).write(to: URL(fileURLWithPath: path))
        return message
    }
}
