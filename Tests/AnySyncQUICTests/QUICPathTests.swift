import AnySyncNet
import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

/// Connections over a path that loses, doubles, reorders and moves.
@Suite(.timeLimit(.minutes(5))) struct QUICPathTests {
    /// A dialer and a listener with a proxy in between.
    static func run(
        quic: QUICLimits = QUICLimits(), _ decide: @escaping @Sendable (UDPProxy.Passage) -> UDPProxy.Fate,
        _ body: (QUICPeer, QUICPeer, any Listener, UDPProxy, Address) async throws -> Void
    ) async throws {
        let dialer = try QUICPeer(quic: quic)
        let listener = try QUICPeer(quic: quic)
        let middle = try EventLoop()
        var failure: (any Error)?
        do {
            let socket = try await listener.listen()
            let (proxy, address) = try await UDPProxy.start(to: socket, on: middle, decide)
            try await body(dialer, listener, socket, proxy, address)
        } catch {
            failure = error
        }
        await dialer.loop.shutdown()
        await listener.loop.shutdown()
        await middle.shutdown()
        if let failure { throw failure }
    }

    /// Sends bytes there and back.
    static func echo(_ count: Int, _ outgoing: any Connection, _ incoming: any Connection) async throws {
        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
        let stream = try await outgoing.openStream()
        async let sent: Void = {
            try await stream.write(payload)
            await stream.closeWrite()
        }()
        let other = try #require(await incoming.nextStream())
        let received = try await other.readAll()
        try await sent
        async let answered: Void = {
            try await other.write(received)
            await other.closeWrite()
        }()
        #expect(try await stream.readAll() == payload)
        try await answered
    }

    @Test func theFirstDatagramMayBeLost() async throws {
        try await Self.run { $0.isFromDialer && $0.index == 0 ? .dropped : .carried } _: {
            dialer, listener, socket, _, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            try await Self.echo(10_000, outgoing, incoming)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func lossReorderingAndDoublesAreMadeGood(seed: UInt64) async throws {
        let random = SystemLock(SeededGenerator(seed: seed))
        try await Self.run { _ in
            switch random.withLock({ UInt32.random(in: 0..<100, using: &$0) }) {
            case 0..<5: .dropped
            case 5..<10: .doubled
            case 10..<15: .late
            default: .carried
            }
        } _: { dialer, listener, socket, _, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            for _ in 0..<5 { try await Self.echo(50_000, outgoing, incoming) }
        }
    }

    @Test func aDialerWhoseAddressChangesIsFollowed() async throws {
        try await Self.run { _ in .carried } _: { dialer, listener, socket, proxy, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            try await Self.echo(10_000, outgoing, incoming)
            await proxy.rebind()
            try await Self.echo(10_000, outgoing, incoming)
            await proxy.rebind()
            try await Self.echo(100_000, outgoing, incoming)
        }
    }

    @Test func keysChangeUnderWay() async throws {
        try await Self.run { _ in .carried } _: { dialer, listener, socket, _, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            let connection = try #require(outgoing as? QUICConnection)
            var updates = 0
            for _ in 0..<20 where updates < 3 {
                try await Self.echo(5_000, outgoing, incoming)
                if await connection.updateKeys() { updates += 1 }
            }
            #expect(updates > 0)
            try await Self.echo(200_000, outgoing, incoming)
        }
    }

    @Test func nothingOnThePathIsReadable() async throws {
        try await Self.run { _ in .carried } _: { dialer, listener, socket, proxy, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            let secret = Array("a device token that must not be seen".utf8)
            let stream = try await outgoing.openStream()
            try await stream.write(secret)
            let other = try #require(await incoming.nextStream())
            #expect(try await other.read(exactly: secret.count) == secret)
            let identity = listener.endpoint.identity.account.publicKey.rawRepresentation
            for passage in proxy.seen.withLock({ $0 }) {
                #expect(passage.bytes.firstRange(of: secret) == nil)
                #expect(passage.bytes.firstRange(of: identity) == nil)
            }
        }
    }

    @Test func aPeerThatFallsSilentIsGivenUp() async throws {
        var quic = QUICLimits()
        quic.silenceTimeout = .seconds(2)
        let isCut = SystemLock(false)
        try await Self.run(quic: quic) { _ in
            isCut.withLock { $0 } ? .dropped : .carried
        } _: { dialer, listener, socket, _, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            isCut.withLock { $0 = true }
            #expect(await outgoing.waitUntilClosed() == .pingTimeout)
            #expect(await incoming.waitUntilClosed() == .pingTimeout)
        }
    }

    @Test func keepAliveKeepsAQuietConnection() async throws {
        var quic = QUICLimits()
        quic.silenceTimeout = .seconds(1)
        quic.keepAlive = .milliseconds(200)
        try await Self.run(quic: quic) { _ in .carried } _: { dialer, listener, socket, proxy, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            // Five pings after the handshake take as long as the silence that is allowed.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(1500) {
                let count = proxy.seen.withLock { $0.count }
                await eventually { proxy.seen.withLock { $0.count } != count }
            }
            try await Self.echo(100, outgoing, incoming)
        }
    }
}
