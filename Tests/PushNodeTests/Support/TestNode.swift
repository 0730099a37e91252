import AnySyncNet
import Glibc
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport

/// A push node on loopback that can go away and come back at the same address with what it had stored.
actor TestNode {
    nonisolated let tray = PhoneTray()
    private let directory: TemporaryDirectory
    private let key = SigningKey()
    private var server: PushNodeServer?
    private var addresses: [Address]

    /// A node that listens.
    init(at addresses: String...) async throws {
        directory = try TemporaryDirectory()
        self.addresses = try (addresses.isEmpty ? ["yamux://127.0.0.1:0"] : addresses).map { try Address($0) }
        try await start()
        self.addresses = server?.addresses ?? []
    }

    var location: PushNodeLocation {
        PushNodeLocation(peerId: PeerId(publicKey: key.publicKey), addresses: addresses)
    }

    func start() async throws {
        let configuration = NodeConfiguration(
            storePath: directory.path("node.db"), forwarders: [.ios: tray, .android: tray]
        )
        let identity = LocalIdentity(account: SigningKey(), peer: key, clientVersion: "node")
        server = try await PushNodeServer.start(
            configuration, ListenConfiguration(identity: identity, addresses: addresses)
        )
    }

    func stop() async {
        await server?.stop(drain: .seconds(10))
        server = nil
    }

    /// Loses what it had stored, but for its key.
    func loseStore() throws {
        for name in try directory.names() { unlink(directory.path(name)) }
    }

    var status: PushNodeStatus? {
        get async { await server?.status }
    }
}
