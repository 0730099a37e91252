import AnySyncWire
import Glibc
import PushCrypto
import TestSupport

@testable import AnySyncNet

/// One peer on a loop of its own. Its time stands still unless a test moves it: a slow machine must not run into
/// deadlines.
struct TestPeer {
    let loop: EventLoop
    let endpoint: Endpoint
    let transports: [any Transport]

    init(
        account: SigningKey = SigningKey(), peer: SigningKey = SigningKey(), clock: any LoopClock = ManualClock(),
        version: UInt32 = 13, accepted: [UInt32] = [8, 9, 12, 13, 14], software: String = "test",
        limits: NetLimits = NetLimits(), certificate: HostCertificate? = nil,
        unixTime: (@Sendable () -> Int64)? = nil, onEvent: @escaping @Sendable (NetEvent) -> Void = { _ in }
    ) throws {
        loop = try EventLoop(clock: clock)
        let identity = LocalIdentity(
            account: account, peer: peer, clientVersion: software, version: version, acceptedVersions: accepted)
        if let certificate {
            endpoint = try Endpoint(
                eventLoop: loop, identity: identity, limits: limits, unixTime: { Int64(time(nil)) },
                certificate: certificate)
        } else {
            endpoint = try Endpoint(
                eventLoop: loop, identity: identity, limits: limits, unixTime: unixTime, onEvent: onEvent)
        }
        transports = try TestTransports.make(endpoint)
    }

    var id: PeerId { endpoint.identity.peerId }

    func transport(for kind: ConnectionKind) throws -> any Transport {
        guard let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
            throw TestFailure("no transport for \(kind)")
        }
        return transport
    }

    func listen(_ kind: ConnectionKind = .yamux) async throws -> any Listener {
        try await transport(for: kind).listen(on: Address(kind: kind, host: "127.0.0.1", port: 0))
    }

    func dial(_ listener: any Listener, of peer: TestPeer, kind: ConnectionKind = .yamux) async throws -> any Connection
    {
        try await transport(for: kind).dial(
            listener.addresses[0].with(kind: kind), peer: peer.id,
            turn: DialTurn(version: endpoint.identity.version))
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
        dialerClock: (any LoopClock)? = nil, listenerClock: (any LoopClock)? = nil,
        _ body: (TestPair) async throws -> Void
    ) async throws {
        let dialer = try TestPeer(clock: dialerClock ?? kind.clock, limits: dialerLimits)
        let listener = try TestPeer(clock: listenerClock ?? kind.clock, limits: listenerLimits)
        var failure: (any Error)?
        do {
            let socket = try await listener.listen(kind)
            let outgoing = try await dialer.dial(socket, of: listener, kind: kind)
            guard let incoming = await socket.nextConnection() else { throw TestFailure("no connection") }
            try await body(TestPair(dialer: dialer, listener: listener, outgoing: outgoing, incoming: incoming))
        } catch {
            failure = error
        }
        await dialer.loop.shutdown()
        await listener.loop.shutdown()
        if let failure { throw failure }
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
