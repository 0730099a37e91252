import AnySyncNet
import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

/// Connections over a path that moves, falls silent or stays quiet.
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

    @Test func aDialerWhoseAddressChangesIsFollowed() async throws {
        try await Self.run { _ in
            .carried
        } _: { dialer, listener, socket, proxy, address in
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
        try await Self.run { _ in
            .carried
        } _: { dialer, listener, socket, _, address in
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
        quic.silenceTimeout = .seconds(3)
        quic.keepAlive = .milliseconds(200)
        try await Self.run(quic: quic) { _ in
            .carried
        } _: { dialer, listener, socket, proxy, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            // Longer than the silence that is allowed, which is long enough for a machine that is busy with other things.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(3500) {
                let count = proxy.seen.withLock { $0.count }
                await eventually { proxy.seen.withLock { $0.count } != count }
            }
            try await Self.echo(100, outgoing, incoming)
        }
    }
}
