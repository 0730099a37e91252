import AnySyncNet
import AnySyncWire
import PushCrypto

@testable import AnySyncQUIC

/// One peer on a loop of its own, in real time: QUIC measures round trips.
struct QUICPeer {
    let loop: EventLoop
    let endpoint: Endpoint
    let transport: QUICTransport

    init(
        account: SigningKey = SigningKey(), peer: SigningKey = SigningKey(), version: UInt32 = 13,
        accepted: [UInt32] = [8, 9, 12, 13, 14], limits: NetLimits = NetLimits(), quic: QUICLimits = QUICLimits(),
        certificate: HostCertificate? = nil
    ) throws {
        loop = try EventLoop()
        let identity = LocalIdentity(
            account: account, peer: peer, clientVersion: "test", version: version, acceptedVersions: accepted)
        if let certificate {
            endpoint = try Endpoint(
                eventLoop: loop, identity: identity, limits: limits, unixTime: { 1_800_000_000 },
                certificate: certificate)
        } else {
            endpoint = try Endpoint(eventLoop: loop, identity: identity, limits: limits)
        }
        transport = try QUICTransport(endpoint, limits: quic)
    }

    var id: PeerId { endpoint.identity.peerId }

    func listen(host: String = "127.0.0.1") async throws -> any Listener {
        try await transport.listen(on: Address(kind: .quic, host: host, port: 0))
    }

    func dial(_ listener: any Listener, of peer: QUICPeer) async throws -> any Connection {
        try await transport.dial(
            listener.addresses[0], peer: peer.id, turn: DialTurn(version: endpoint.identity.version))
    }
}

/// Two connected peers, and what it takes to end them.
struct QUICPair {
    let dialer: QUICPeer
    let listener: QUICPeer
    let socket: any Listener
    let outgoing: any Connection
    let incoming: any Connection

    static func run(
        dialerLimits: NetLimits = NetLimits(), listenerLimits: NetLimits = NetLimits(),
        _ body: (QUICPair) async throws -> Void
    ) async throws {
        let dialer = try QUICPeer(limits: dialerLimits)
        let listener = try QUICPeer(limits: listenerLimits)
        do {
            let socket = try await listener.listen()
            let outgoing = try await dialer.dial(socket, of: listener)
            guard let incoming = await socket.nextConnection() else { throw TestFailure("no connection") }
            try await body(
                QUICPair(dialer: dialer, listener: listener, socket: socket, outgoing: outgoing, incoming: incoming))
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

extension QUICConnection {
    /// Begins with fresh keys; `false` when it is too early.
    func updateKeys() -> Bool {
        guard ending == nil, session.updateKeys(now: eventLoop.now()) else { return false }
        link.setNeedsFlush()
        return true
    }

    /// Bytes that the library holds.
    var memoryUsed: Int { session.memoryUsed }
}
