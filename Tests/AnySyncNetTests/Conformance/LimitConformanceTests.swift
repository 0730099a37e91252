import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What every kind of connection does alike: limits. A breach costs the peer that commits it, and nobody else.
@Suite(.timeLimit(.minutes(5))) struct LimitConformanceTests {
    @Test(arguments: ConnectionKind.tested)
    func outgoingStreams(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.outgoingStreams = 2
        try await TestPair.run(kind: kind, dialerLimits: limits) { pair in
            let first = try await pair.outgoing.openStream()
            _ = try await pair.outgoing.openStream()
            await #expect(throws: TransportError.tooManyStreams) { _ = try await pair.outgoing.openStream() }
            await first.reset()
            _ = try await pair.outgoing.openStream()
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func incomingStreams(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.incomingStreams = 4
        try await TestPair.run(kind: kind, listenerLimits: limits) { pair in
            var streams: [any ByteStream] = []
            for index in 0..<4 as Range<UInt8> {
                let stream = try await pair.outgoing.openStream()
                try await stream.write([index])
                streams.append(stream)
            }
            // One more is refused, at the dialer or by the listener.
            await #expect(throws: TransportError.self) {
                let stream = try await pair.outgoing.openStream()
                try await stream.write([4])
                _ = try await stream.read()
            }
            for index in 0..<4 as Range<UInt8> {
                let stream = try #require(await pair.incoming.nextStream())
                #expect(try await stream.read(exactly: 1) == [index])
            }
            #expect(await pair.incoming.status.openStreams == 4)
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func streamsThatADialerDoesNotTake(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            _ = try await pair.stream()
            let stream = try await pair.incoming.openStream()
            try? await stream.write([1])
            await #expect(throws: TransportError.streamReset) { _ = try await stream.read() }
            // Whoever takes a stream finishes it; until somebody does, they are reset.
            let taking = Task { await pair.outgoing.nextStream()?.closeWrite() }
            var isTaken = false
            while !isTaken {
                let stream = try await pair.incoming.openStream()
                do {
                    try await stream.write([1])
                    isTaken = try await stream.read() == nil
                } catch {}
            }
            await taking.value
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func inputThatNobodyReads(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.bufferedInput = 300_000
        try await TestPair.run(kind: kind, listenerLimits: limits) { pair in
            // Each within its stream's window, together over the limit: held back, or the end of the connection.
            let writing = Task {
                await withDiscardingTaskGroup { group in
                    for _ in 0..<4 {
                        group.addTask {
                            guard let stream = try? await pair.outgoing.openStream() else { return }
                            try? await stream.write([UInt8](repeating: 1, count: 200_000))
                        }
                    }
                }
            }
            if kind == .quic {
                await eventually { await pair.incoming.status.bytesReceived >= 290_000 }
                for _ in 0..<100 { await pair.listener.loop.onLoop {} }
                #expect(await pair.incoming.status.bytesReceived < 400_000)
                await pair.incoming.close(.local)
            }
            #expect(await pair.incoming.waitUntilClosed() == (kind == .quic ? .local : .inputOverflow))
            await writing.value
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func connections(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.connections = 2
        let node = try TestPeer(clock: kind.clock, limits: limits)
        let listener = try await node.listen(kind)
        let peers = try (0..<3).map { _ in try TestPeer(clock: kind.clock) }
        let first = try await peers[0].dial(listener, of: node, kind: kind)
        let second = try await peers[1].dial(listener, of: node, kind: kind)
        await eventually { node.endpoint.counters.openIncoming >= 2 }
        // One that does nothing makes room.
        let third = try await peers[2].dial(listener, of: node, kind: kind)
        await eventually { node.endpoint.counters.closed == [.crowdedOut: 1] }
        #expect(node.endpoint.counters.openIncoming == 2)
        await eventually {
            let ends = [await first.status.closed, await second.status.closed]
            return ends.filter { $0 == nil }.count == 1
        }
        // A known peer's newer connection takes the place of its older one, and of no other.
        let again = try await peers[2].dial(listener, of: node, kind: kind)
        #expect(await third.waitUntilClosed() == .peerClosed)
        #expect(await again.status.closed == nil)
        await eventually { node.endpoint.counters.closed == [.crowdedOut: 1, .replaced: 1] }
        for peer in peers { await peer.loop.shutdown() }
        await node.loop.shutdown()
        #expect(node.endpoint.counters.openIncoming == 0)
    }

    @Test(arguments: ConnectionKind.tested)
    func ownConnections(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.connections = 1
        let dialer = try TestPeer(clock: kind.clock, limits: limits)
        let nodes = [try TestPeer(clock: kind.clock), try TestPeer(clock: kind.clock)]
        let first = try await dialer.dial(await nodes[0].listen(kind), of: nodes[0], kind: kind)
        let second = try await nodes[1].listen(kind)
        await #expect {
            _ = try await dialer.dial(second, of: nodes[1], kind: kind)
        } throws: { error in
            if case .closed(.tooManyConnections, _) = error as? TransportError { true } else { false }
        }
        #expect(await first.status.closed == nil)
        #expect(dialer.endpoint.counters.openOutgoing == 1)
        await dialer.loop.shutdown()
        for node in nodes { await node.loop.shutdown() }
    }

    @Test(arguments: ConnectionKind.tested)
    func idleTime(kind: ConnectionKind) async throws {
        // So that nothing else ends the connection first.
        var limits = NetLimits()
        limits.pingInterval = .seconds(10_000)
        limits.idleTimeout = .seconds(20)
        let clock = SkippingClock()
        try await TestPair.run(kind: kind, listenerLimits: limits, listenerClock: clock) { pair in
            _ = try await pair.stream()
            await clock.skip(.seconds(10), on: pair.listener.loop)
            _ = try await pair.stream()
            await clock.skip(.seconds(15), on: pair.listener.loop)
            #expect(await pair.incoming.status.closed == nil)
            await clock.skip(.seconds(6), on: pair.listener.loop)
            #expect(await pair.incoming.waitUntilClosed() == .idle)
            #expect(await pair.outgoing.waitUntilClosed() != nil)
        }
    }
}
