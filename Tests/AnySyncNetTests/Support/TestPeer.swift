import AnySyncWire
import PushCrypto

@testable import AnySyncNet

/// One peer on a loop of its own.
struct TestPeer {
    let loop: EventLoop
    let endpoint: Endpoint
    let transport: TCPTransport

    init(
        account: SigningKey = SigningKey(), peer: SigningKey = SigningKey(), clock: any LoopClock = MonotonicClock(),
        version: UInt32 = 13, accepted: [UInt32] = [8, 9, 12, 13, 14], limits: NetLimits = NetLimits()
    ) throws {
        loop = try EventLoop(clock: clock)
        let identity = LocalIdentity(
            account: account, peer: peer, clientVersion: "test", version: version, acceptedVersions: accepted)
        endpoint = try Endpoint(eventLoop: loop, identity: identity, limits: limits)
        transport = TCPTransport(endpoint)
    }

    var id: PeerId { endpoint.identity.peerId }

    func listen(_ kind: ConnectionKind = .yamux) async throws -> any Listener {
        try await transport.listen(on: Address(kind: kind, host: "127.0.0.1", port: 0))
    }

    func dial(_ listener: any Listener, of peer: TestPeer, kind: ConnectionKind = .yamux) async throws -> any Connection {
        try await transport.dial(listener.addresses[0].with(kind: kind), peer: peer.id, version: endpoint.identity.version)
    }
}

/// Two connected peers, and what it takes to end them.
struct TestPair {
    let dialer: TestPeer
    let listener: TestPeer
    let outgoing: any Connection
    let incoming: any Connection

    static func run(
        kind: ConnectionKind = .yamux, dialerLimits: NetLimits = NetLimits(), listenerLimits: NetLimits = NetLimits(),
        _ body: (TestPair) async throws -> Void
    ) async throws {
        let dialer = try TestPeer(limits: dialerLimits)
        let listener = try TestPeer(limits: listenerLimits)
        let socket = try await listener.listen()
        let outgoing = try await dialer.dial(socket, of: listener, kind: kind)
        guard let incoming = await socket.nextConnection() else { throw TestFailure("no connection") }
        let pair = TestPair(dialer: dialer, listener: listener, outgoing: outgoing, incoming: incoming)
        do {
            try await body(pair)
        } catch {
            await dialer.loop.shutdown()
            await listener.loop.shutdown()
            throw error
        }
        await dialer.loop.shutdown()
        await listener.loop.shutdown()
    }
}

struct TestFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

extension ByteStream {
    /// Reads until `count` bytes are there.
    func read(exactly count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try await read() else { throw TestFailure("ended after \(bytes.count) of \(count) bytes") }
            bytes += more
        }
        return bytes
    }

    /// Reads until the peer has finished.
    func readAll() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await read() { bytes += more }
        return bytes
    }
}
