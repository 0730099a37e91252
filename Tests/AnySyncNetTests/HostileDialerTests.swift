import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What strangers do to a listening port, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct HostileDialerTests {
    /// A node on virtual time with a listener, and a loop for the strangers.
    static func run(
        limits: NetLimits = NetLimits(),
        _ body: (TestPeer, any Listener, ManualClock, EventLoop) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let node = try TestPeer(clock: clock, limits: limits)
        let strangers = try EventLoop()
        let listener = try await node.listen()
        var failure: (any Error)?
        do {
            try await body(node, listener, clock, strangers)
        } catch {
            failure = error
        }
        await listener.close()
        await node.loop.shutdown()
        await strangers.shutdown()
        #expect(node.endpoint.counters.unfinishedHandshakes == 0)
        #expect(node.endpoint.counters.openIncoming == 0)
        if let failure { throw failure }
    }

    static func identity() -> LocalIdentity {
        LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "stranger")
    }

    @Test func garbageIsRefusedAndCounted() async throws {
        try await Self.run { node, listener, _, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            await raw.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            await raw.waitForEnd()
            // The stranger's loop sees the end before the node's has counted it.
            await eventually { node.endpoint.counters.refused == [.tlsFailed: 1] }
            try await expectService(node, listener, .yamux)
        }
    }

    @Test func silentStrangersAreDroppedAfterTheDeadline() async throws {
        try await Self.run { node, listener, clock, strangers in
            let silent = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            // Half a ClientHello.
            let halfway = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            await halfway.write([22, 3, 1, 1, 0, 1, 0])
            await eventually { node.endpoint.counters.unfinishedHandshakes >= 2 }
            await clock.advance(by: .milliseconds(9_999), on: node.loop)
            #expect(node.endpoint.counters.unfinishedHandshakes == 2)
            await clock.advance(by: .milliseconds(1), on: node.loop)
            await silent.waitForEnd()
            await halfway.waitForEnd()
            await eventually { node.endpoint.counters.refused == [.handshakeTimeout: 2] }
            try await expectService(node, listener, .yamux)
        }
    }

    @Test func leavingInTheMiddleIsCounted() async throws {
        try await Self.run { node, listener, _, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            await raw.write([22])
            await raw.close()
            await eventually { node.endpoint.counters.refused == [.peerClosed: 1] }
        }
    }

    @Test func floodsOfHalfOpenConnectionsAreShed() async throws {
        var limits = NetLimits()
        limits.unfinishedHandshakes = 8
        try await Self.run(limits: limits) { node, listener, clock, strangers in
            var flood: [RawSocket] = []
            for _ in 0..<40 {
                flood.append(try await RawSocket.connect(to: listener.addresses[0], on: strangers))
            }
            await eventually {
                // Each is given time to be heard before it is shed for another.
                if node.endpoint.counters.accepted < 40 {
                    await clock.advance(by: UnprovenPlaces<Int>.hearing, on: node.loop)
                }
                let counters = node.endpoint.counters
                return counters.unfinishedHandshakes == 8 && counters.refused == [.handshakesShed: 32]
            }
            #expect(node.endpoint.counters.accepted == 40)
            await flood[0].waitForEnd()
            await clock.advance(by: UnprovenPlaces<Int>.hearing, on: node.loop)
            try await expectService(node, listener, .yamux)
            #expect(await flood[39].end == nil)
        }
    }

    @Test func theListenerIsSilentUntilTheFirstByte() async throws {
        try await Self.run { node, listener, clock, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            // A ping that is due and a stream of the listener's own: both must wait.
            await clock.advance(by: .seconds(31), on: node.loop)
            let stream = try await connection.openStream()
            try await stream.write([1, 2, 3])
            await clock.advance(by: .seconds(8), on: node.loop)
            #expect(await raw.takeReceived().isEmpty)
            #expect(await connection.status.bytesSent == 0)
            // The first byte of a header is enough.
            await raw.write([0])
            let frames = try await raw.read(exactly: 12 + 12 + 3)
            #expect(frames.suffix(3) == [1, 2, 3])
        }
    }

    @Test func bytesOfTheHandshakesSegmentReachYamux() async throws {
        try await Self.run { node, listener, _, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            // SYN with data, cut inside the header.
            await raw.write([0, 0, 0, 1, 0, 0])
            await raw.write([0, 1, 0, 0, 0, 2, 5, 6])
            let connection = try #require(await listener.nextConnection())
            let stream = try #require(await connection.nextStream())
            #expect(try await stream.read(exactly: 2) == [5, 6])
            #expect(try await raw.read(exactly: 12) == [0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0])
        }
    }

    @Test func aCloseNotifyAfterTheHandshakeEndsTheSession() async throws {
        try await Self.run { node, listener, _, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            await raw.write([23, 3, 3, 0, 19])
            await raw.write([UInt8](repeating: 7, count: 19))
            #expect(await connection.waitUntilClosed() == .protocolViolation)
            await raw.waitForEnd()
        }
    }

    @Test func unansweredPingsEndTheConnection() async throws {
        try await Self.run { node, listener, clock, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            await raw.write([0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
            _ = try #require(await connection.nextStream())
            _ = try await raw.read(exactly: 12)
            await clock.advance(by: .seconds(30), on: node.loop)
            #expect(try await raw.read(exactly: 12) == [0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
            await clock.advance(by: .seconds(10), on: node.loop)
            #expect(await connection.waitUntilClosed() == .pingTimeout)
        }
    }

    @Test func silenceAfterTheHandshakeEndsTheConnection() async throws {
        try await Self.run { node, listener, clock, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            await clock.advance(by: .seconds(41), on: node.loop)
            #expect(await connection.waitUntilClosed() == .pingTimeout)
        }
    }

    @Test func idlePeersAreClosed() async throws {
        var limits = NetLimits()
        limits.idleTimeout = .seconds(100)
        try await Self.run(limits: limits) { node, listener, clock, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            // Pings alone are no activity.
            for _ in 0..<3 {
                await raw.write([0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9])
                _ = try await raw.read(exactly: 12)
                await clock.advance(by: .seconds(30), on: node.loop)
                let ping = try await raw.read(exactly: 12)
                await raw.write([0, 2, 0, 2] + ping[4...])
                await raw.write([0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9])
                _ = try await raw.read(exactly: 12)
            }
            #expect(await connection.status.closed == nil)
            await clock.advance(by: .seconds(10), on: node.loop)
            #expect(await connection.waitUntilClosed() == .idle)
        }
    }

    @Test func peersThatMakeUsAnswerButDoNotReadAreEnded() async throws {
        try await Self.run { node, listener, _, strangers in
            let raw = try await RawSocket.connect(to: listener.addresses[0], on: strangers)
            try await raw.handshake(with: node, as: Self.identity())
            let connection = try #require(await listener.nextConnection())
            await raw.stopReading()
            let pings = (0..<1000).flatMap { _ in [0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9] as [UInt8] }
            for _ in 0..<7 { await raw.write(pings) }
            let reason = await connection.waitUntilClosed()
            #expect(reason == .protocolViolation || reason == .outputOverflow)
        }
    }
}
