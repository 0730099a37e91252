import AnySyncNet
import PushCrypto

extension Attack {
    /// Packets of a proven connection, as many as the machine sends: pings, and copies of pings.
    static let pingFlood = Attack(
        name: "ping-flood", abstract: "one proven QUIC connection that sends pings as fast as it can", kinds: [.quic]
    ) { site in
        let relay = try FloodingRelay(to: site.node.address.port)
        let peer = try AttackPeer(site.node, on: try EventLoop(), keepAlive: .milliseconds(1))
        let entrance = Address(kind: .quic, host: "127.0.0.1", port: relay.port)
        _ = try await peer.dial(at: entrance)
        site.begun()
        relay.flood()
        // A connection that is ended is made anew, from the same place.
        while !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(200))
            site.tally.add("packets", relay.takeCount())
        }
    }
}
