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
            let dialing = Task {
                try await patient.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            }
            for _ in 0..<10 { await Task.yield() }
            dialing.cancel()
            await #expect(throws: TransportError.cancelled) { _ = try await dialing.value }
        }
        await patient.loop.shutdown()
        await middle.shutdown()
    }

    @Test func aListenerThatRestartsTellsItsOldPeers() async throws {
        let key = SigningKey()
        let before = try QUICPeer(peer: key)
        let dialer = try QUICPeer()
        let middle = try EventLoop()
        let socket = try await before.listen()
        let isDown = Flag()
        let (proxy, address) = try await UDPProxy.start(to: socket, on: middle) { _ in
            isDown.isSet ? .dropped : .carried
        }
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
