import AnySyncNet
import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

@Suite(.timeLimit(.minutes(5))) struct QUICHandshakeTests {
    static func run(
        _ listener: QUICPeer, _ dialer: QUICPeer, _ body: (any Listener) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        do {
            try await body(try await listener.listen())
        } catch {
            failure = error
        }
        await dialer.loop.shutdown()
        await listener.loop.shutdown()
        #expect(listener.endpoint.counters.unfinishedHandshakes == 0)
        if let failure { throw failure }
    }

    /// Dials and gives the error.
    static func error(_ dialer: QUICPeer, _ socket: any Listener, expecting peer: PeerId) async -> TransportError? {
        do {
            _ = try await dialer.transport.dial(
                socket.addresses[0], peer: peer, turn: DialTurn(version: dialer.endpoint.identity.version))
            return nil
        } catch {
            return error
        }
    }

    @Test func somebodyElseIsRefusedByName() async throws {
        let (listener, dialer) = (try QUICPeer(), try QUICPeer())
        try await Self.run(listener, dialer) { socket in
            let wanted = PeerId(publicKey: SigningKey().publicKey)
            #expect(
                await Self.error(dialer, socket, expecting: wanted)
                    == .wrongPeer(expected: wanted, found: listener.id))
            await eventually { !listener.endpoint.counters.refused.isEmpty }
            #expect(listener.endpoint.counters.refused == [.tlsFailed: 1])
        }
    }

    @Test func expiredCertificatesAreRefusedOnEitherSide() async throws {
        let key = SigningKey()
        let old = try HostCertificate(peerKey: key, validFrom: 1_000_000_000, until: 1_100_000_000)
        let goodKey = SigningKey()
        let good = try QUICPeer(peer: goodKey, certificate: HostCertificate(peerKey: goodKey, now: 1_800_000_000))
        let bad = try QUICPeer(peer: key, certificate: old)
        try await Self.run(bad, good) { socket in
            #expect(
                await Self.error(good, socket, expecting: bad.id)
                    == .certificate(.expired(until: 1_100_000_000, now: 1_800_000_000)))
        }
        let nodeKey = SigningKey()
        let node = try QUICPeer(peer: nodeKey, certificate: HostCertificate(peerKey: nodeKey, now: 1_800_000_000))
        let peerKey = SigningKey()
        let late = try QUICPeer(
            peer: peerKey,
            certificate: HostCertificate(peerKey: peerKey, validFrom: 1_000_000_000, until: 1_100_000_000))
        try await Self.run(node, late) { socket in
            // The dialer is done first and learns from the close.
            let refusal = await Self.error(late, socket, expecting: node.id)
            #expect(refusal == .tls(.refusedByPeer(alert: 42)), "\(String(describing: refusal))")
            #expect(node.endpoint.counters.refused == [.certificateRefused: 1])
        }
    }

    @Test func theReasonOfARefusalArrives() async throws {
        let listener = try QUICPeer(version: 13, accepted: [12, 13])
        let dialer = try QUICPeer(version: 9, accepted: [9, 12, 13])
        try await Self.run(listener, dialer) { socket in
            guard case .handshake(let failure) = await Self.error(dialer, socket, expecting: listener.id) else {
                Issue.record("no handshake failure")
                return
            }
            #expect(failure.reason == .refusedByPeer(.incompatibleVersion))
            await eventually { !listener.endpoint.counters.refused.isEmpty }
            #expect(listener.endpoint.counters.refused == [.credentialsRefused: 1])
        }
    }

    @Test func aDialerFindsTheVersionThatBothSpeak() async throws {
        let listener = try QUICPeer(version: 12, accepted: [12])
        let dialer = try QUICPeer()
        try await Self.run(listener, dialer) { socket in
            let connection = try await Dialer(dialer.endpoint, transports: [dialer.transport])
                .dial(socket.addresses, peer: listener.id)
            #expect(connection.version == 12)
        }
    }

    @Test func nobodyThereIsNoticedAtOnce() async throws {
        let (listener, dialer) = (try QUICPeer(), try QUICPeer())
        try await Self.run(listener, dialer) { socket in
            await socket.close()
            guard case .cannotConnect(let address, _) = await Self.error(dialer, socket, expecting: listener.id)
            else {
                Issue.record("connected to nobody")
                return
            }
            #expect(address == "127.0.0.1:\(socket.addresses[0].port)")
        }
    }

    @Test func silenceIsGivenUpAndCancelledDialsEnd() async throws {
        var limits = NetLimits()
        limits.connectTimeout = .milliseconds(300)
        let (listener, dialer) = (try QUICPeer(), try QUICPeer(limits: limits))
        let patient = try QUICPeer()
        let middle = try EventLoop()
        try await Self.run(listener, dialer) { socket in
            let (_, address) = try await UDPProxy.start(to: socket, on: middle) { _ in .dropped }
            await #expect(throws: TransportError.deadlineExceeded(.connecting)) {
                _ = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            }
            let dialing = Task { try await patient.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13)) }
            for _ in 0..<10 { await Task.yield() }
            dialing.cancel()
            await #expect(throws: TransportError.cancelled) { _ = try await dialing.value }
        }
        await patient.loop.shutdown()
        await middle.shutdown()
    }

    @Test func theNewestConnectionOfAPeerWins() async throws {
        let (listener, dialer) = (try QUICPeer(), try QUICPeer())
        try await Self.run(listener, dialer) { socket in
            let first = try await dialer.dial(socket, of: listener)
            let firstIncoming = try #require(await socket.nextConnection())
            let second = try await dialer.dial(socket, of: listener)
            #expect(await firstIncoming.waitUntilClosed() == .replaced)
            #expect(await first.waitUntilClosed() == .peerClosed)
            #expect(await second.status.closed == nil)
        }
    }

    @Test func connectionsAreLimited() async throws {
        var limits = NetLimits()
        limits.connections = 1
        let (listener, dialer) = (try QUICPeer(limits: limits), try QUICPeer())
        let other = try QUICPeer()
        try await Self.run(listener, dialer) { socket in
            let first = try await dialer.dial(socket, of: listener)
            // The refusal may come before or after the last word of the handshake.
            let second = try? await other.dial(socket, of: listener)
            if let second { #expect(await second.waitUntilClosed() == .peerClosed) }
            while listener.endpoint.counters.refused.isEmpty { await Task.yield() }
            #expect(listener.endpoint.counters.refused == [.tooManyConnections: 1])
            #expect(await first.status.closed == nil)
        }
        await other.loop.shutdown()
    }

    @Test func quietConnectionsAreClosed() async throws {
        var limits = NetLimits()
        limits.idleTimeout = .milliseconds(200)
        let (listener, dialer) = (try QUICPeer(limits: limits), try QUICPeer())
        try await Self.run(listener, dialer) { socket in
            let outgoing = try await dialer.dial(socket, of: listener)
            let incoming = try #require(await socket.nextConnection())
            #expect(await incoming.waitUntilClosed() == .idle)
            #expect(await outgoing.waitUntilClosed() == .peerClosed)
        }
    }

    @Test func aListenerThatRestartsTellsItsOldPeers() async throws {
        let key = SigningKey()
        let before = try QUICPeer(peer: key)
        let dialer = try QUICPeer()
        let middle = try EventLoop()
        let socket = try await before.listen()
        let isDown = Flag()
        let (proxy, address) = try await UDPProxy.start(to: socket, on: middle) { _ in isDown.isSet ? .dropped : .carried }
        let connection = try await dialer.transport.dial(address, peer: before.id, turn: DialTurn(version: 13))
        _ = await socket.nextConnection()
        // Nothing of the end arrives.
        isDown.set(true)
        await before.loop.shutdown()
        let after = try QUICPeer(peer: key)
        let again = try await after.transport.listen(on: socket.addresses[0])
        isDown.set(false)
        let stream = try await connection.openStream()
        try await stream.write([UInt8](repeating: 1, count: 100))
        #expect(await connection.waitUntilClosed() == .peerClosed)
        // More than one when the dialer repeats itself before the first arrives.
        #expect(try #require(await after.transport.counters.first).statelessResets >= 1)
        await again.close()
        await proxy.stop()
        await dialer.loop.shutdown()
        await after.loop.shutdown()
        await middle.shutdown()
    }

    @Test func aConnectionFitsItsBudget() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            try await stream.write([1])
            _ = try await pair.incoming.nextStream()?.read()
            let connection = try #require(pair.incoming as? QUICConnection)
            #expect(await connection.memoryUsed < 96 * 1024)
            #expect(await connection.memoryUsed > 0)
        }
    }
}
