import Dispatch
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What every kind of connection does alike: ends, in order and not.
@Suite(.timeLimit(.minutes(5))) struct EndingConformanceTests {
    @Test(arguments: ConnectionKind.tested)
    func closingEndsEverything(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (stream, other) = try await pair.stream()
            let reading = Task { try await stream.read() }
            await pair.incoming.close(.local)
            #expect(await pair.outgoing.waitUntilClosed() == .peerClosed)
            #expect(await pair.incoming.waitUntilClosed() == .local)
            await #expect(throws: TransportError.self) { _ = try await reading.value }
            await #expect(throws: TransportError.self) { _ = try await other.read() }
            await #expect(throws: TransportError.self) { try await other.write([1]) }
            #expect(await pair.outgoing.nextStream() == nil)
            #expect(await pair.incoming.nextStream() == nil)
            await #expect(throws: TransportError.self) { _ = try await pair.outgoing.openStream() }
            #expect(pair.listener.endpoint.counters.closed == [.local: 1])
            #expect(pair.dialer.endpoint.counters.closed == [.peerClosed: 1])
            #expect(pair.listener.endpoint.connections.isEmpty)
            #expect(pair.dialer.endpoint.counters.openOutgoing == 0)
            #expect(await pair.incoming.status.closed == .local)
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func aPeerThatEndsItsLoopIsNoticed(kind: ConnectionKind) async throws {
        for isListenerGone in [true, false] {
            try await TestPair.run(kind: kind) { pair in
                let (stream, other) = try await pair.stream()
                let (left, gone, goneConnection) =
                    isListenerGone
                    ? (pair.outgoing, pair.listener, pair.incoming) : (pair.incoming, pair.dialer, pair.outgoing)
                let reading = Task { try await (isListenerGone ? stream : other).read() }
                await gone.loop.shutdown()
                #expect(await left.waitUntilClosed() != nil)
                #expect(await goneConnection.waitUntilClosed() == .shutDown)
                await #expect(throws: TransportError.self) { _ = try await reading.value }
            }
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func aPeerThatFreezesIsNoticed(kind: ConnectionKind) async throws {
        let clock = SkippingClock()
        try await TestPair.run(kind: kind, dialerClock: clock) { pair in
            let (stream, _) = try await pair.stream()
            let reading = Task { try await stream.read() }
            // Its sockets stay open, but nobody serves them.
            let frozen = DispatchSemaphore(value: 0)
            pair.listener.loop.execute { frozen.wait() }
            defer { frozen.signal() }
            await clock.skip(.seconds(31), on: pair.dialer.loop)
            // A ping sent only now has its own time to be answered.
            for _ in 0..<20 where await pair.outgoing.status.closed == nil {
                await clock.skip(.seconds(10), on: pair.dialer.loop)
            }
            #expect(await pair.outgoing.status.closed == .pingTimeout)
            await #expect(throws: TransportError.self) { _ = try await reading.value }
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func aReaderThatStallsHoldsItsWriterBackAndNobodyElse(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (stalled, unread) = try await pair.stream()
            let writing = Task { try await stalled.write([UInt8](repeating: 7, count: 1 << 20)) }
            for _ in 0..<20 {
                let (stream, other) = try await pair.stream()
                try await other.write([1])
                #expect(try await stream.read(exactly: 1) == [1])
                stream.close()
                other.close()
            }
            var status = await pair.outgoing.status
            #expect(status.bytesSent < 700_000)
            var count = 0
            while count < 1 << 20 { count += try #require(try await unread.read()).count }
            try await writing.value
            status = await pair.outgoing.status
            #expect(status.bytesSent > 1 << 20)
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func aListenerThatSaysNothingIsGivenUp(kind: ConnectionKind) async throws {
        let clock = SkippingClock()
        let dialer = try TestPeer(clock: clock)
        let silent = try SilentListener(for: kind)
        defer { silent.close() }
        let address = Address(kind: kind, host: "127.0.0.1", port: silent.port)
        let transport = try dialer.transport(for: kind)
        let peer = PeerId(publicKey: SigningKey().publicKey)
        let isOver = SystemLock(false)
        let dialing = Task { () async throws in
            defer { isOver.withLock { $0 = true } }
            _ = try await transport.dial(address, peer: peer, turn: DialTurn(version: 13))
        }
        await eventually { await dialer.loop.nextDeadline() != nil }
        // More than once, since a stage that begins after a leap has its own time.
        while !isOver.withLock({ $0 }) { await clock.skip(.seconds(10), on: dialer.loop) }
        await #expect {
            try await dialing.value
        } throws: { error in
            if case .deadlineExceeded = error as? TransportError { true } else { false }
        }

        let cancelled = Task { () async throws in
            _ = try await transport.dial(address, peer: peer, turn: DialTurn(version: 13))
        }
        await eventually { await dialer.loop.nextDeadline() != nil }
        cancelled.cancel()
        await #expect(throws: TransportError.cancelled) { try await cancelled.value }
        #expect(dialer.endpoint.counters.establishedOutgoing.isEmpty)
        await dialer.loop.shutdown()
    }

    @Test(arguments: ConnectionKind.tested)
    func aPortWithoutListenerIsSaidSo(kind: ConnectionKind) async throws {
        let dialer = try TestPeer(clock: kind.clock)
        let port = kind == .quic ? RefusedPort.udp : RefusedPort.tcp
        let address = Address(kind: kind, host: "127.0.0.1", port: port)
        let peer = PeerId(publicKey: SigningKey().publicKey)
        await #expect {
            _ = try await dialer.transport(for: kind).dial(address, peer: peer, turn: DialTurn(version: 13))
        } throws: { error in
            if case .cannotConnect(_, let reason) = error as? TransportError {
                reason == "connection refused"
            } else {
                false
            }
        }
        await dialer.loop.shutdown()
    }

    @Test(arguments: ConnectionKind.tested)
    func theNewestConnectionOfAPeerWins(kind: ConnectionKind) async throws {
        let node = try TestPeer(clock: kind.clock)
        let key = SigningKey()
        let peers = [try TestPeer(peer: key, clock: kind.clock), try TestPeer(peer: key, clock: kind.clock)]
        let listener = try await node.listen(kind)
        let outgoing = try await peers[0].dial(listener, of: node, kind: kind)
        let older = try #require(await listener.nextConnection())
        _ = try await peers[1].dial(listener, of: node, kind: kind)
        let newer = try #require(await listener.nextConnection())
        #expect(await older.waitUntilClosed() == .replaced)
        #expect(await outgoing.waitUntilClosed() == .peerClosed)
        #expect(await newer.status.closed == nil)
        #expect(node.endpoint.counters.openIncoming == 1)
        for peer in peers { await peer.loop.shutdown() }
        #expect(await newer.waitUntilClosed() == .peerClosed)
        await node.loop.shutdown()
    }
}
