import AnySyncNet
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer

/// A push node on loopback in this process.
struct BenchNode {
    private let directory: BenchDirectory
    private let server: PushNodeServer
    let location: PushNodeLocation

    init(kind: ConnectionKind = .yamux) async throws {
        directory = try BenchDirectory()
        let identity = LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "push-bench")
        var configuration = NodeConfiguration(
            storePath: directory.path + "/node.db", forwarders: [.android: CountingForwarder()]
        )
        // One account sends as fast as it can, which is what is measured.
        configuration.serviceLimits.rates = .unlimited
        configuration.serviceLimits.queueShareDivisor = 1
        var listen = ListenConfiguration(
            identity: identity, addresses: [Address(kind: kind, host: "127.0.0.1", port: 0)]
        )
        listen.transports = BenchTransports.make
        server = try await PushNodeServer.start(configuration, listen)
        location = PushNodeLocation(peerId: identity.peerId, addresses: server.addresses)
    }

    func stop() async {
        await server.stop(drain: .seconds(5))
        directory.remove()
    }
}
