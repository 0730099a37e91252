import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// A peer that makes a node hold as much as it can, and another that is served all the same.
@Suite(.timeLimit(.minutes(5))) struct GreedyPeerTests {
    /// Answers with as many pages of 4 KiB as the request says.
    private struct LargeAnswers: RPCHandler {
        func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
            [UInt8](repeating: 7, count: 4096 * Int(request.first ?? 0))
        }
    }

    private struct Site {
        let node: TestPeer
        let listener: any Listener
        let server: DRPCServer
        let kind: ConnectionKind
        let greedy: TestPeer
        let honest: DRPCClient

        var held: Int {
            get async { await node.loop.onLoop { [pot = node.endpoint.pot] in pot.total } }
        }

        func dial() async throws -> any Connection {
            try await greedy.dial(listener, of: node, kind: kind)
        }

        /// A stream whose opening handshake is done, without compression.
        func open(_ connection: any Connection) async throws -> any ByteStream {
            let stream = try await connection.openStream()
            try await stream.write(ProtoOffer(encodings: []).frame)
            _ = try await stream.read(exactly: 5)
            return stream
        }

        func honestCall() async throws {
            #expect(try await honest.answer("/test/Answer", [1], timeout: .seconds(60)).count == 4096)
        }
    }

    private func run(
        _ kind: ConnectionKind, clock: any LoopClock = ManualClock(), rpc: RPCLimits = RPCLimits(),
        _ limits: NetLimits, _ body: (Site) async throws -> Void
    ) async throws {
        let node = try TestPeer(clock: kind == .quic ? MonotonicClock() : clock, limits: limits)
        var generous = NetLimits()
        generous.outgoingStreams = 1000
        generous.bufferedInput = 1 << 30
        let greedy = try TestPeer(clock: kind.clock, limits: generous)
        let honest = try TestPeer(clock: kind.clock)
        let server = DRPCServer(handler: LargeAnswers(), limits: rpc)
        let listener = try await node.listen(kind)
        let serving = Task { await server.serve(listener) }
        var failure: (any Error)?
        do {
            let client = DRPCClient(connection: try await honest.dial(listener, of: node, kind: kind))
            let site = Site(
                node: node, listener: listener, server: server, kind: kind, greedy: greedy, honest: client)
            try await body(site)
            try await site.honestCall()
            await client.close()
        } catch {
            failure = error
        }
        serving.cancel()
        await serving.value
        let held = await node.loop.onLoop { node.endpoint.pot.total }
        for peer in [greedy, honest, node] { await peer.loop.shutdown() }
        #expect(held == 0)
        #expect(server.gate.isEmpty)
        if let failure { throw failure }
    }

    private func small() -> NetLimits {
        var limits = NetLimits()
        limits.heldBytes = 4 * 1024 * 1024
        return limits
    }

    /// Of each of 64 messages everything comes but the last byte.
    @Test(arguments: ConnectionKind.tested) func messagesThatNeverEndLeaveRoomForOthers(kind: ConnectionKind)
        async throws
    {
        let limits = small()
        try await run(kind, limits) { site async throws in
            let connection = try await site.dial()
            await withDiscardingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask {
                        guard let stream = try? await site.open(connection) else { return }
                        try? await stream.write([0x03, 1, 1, 1, 0x2f, 0x05, 1, 2, 0x80, 0x80, 0x10])
                        try? await stream.write([UInt8](repeating: 0, count: 256 * 1024 - 1))
                    }
                }
                for _ in 0..<20 { try? await site.honestCall() }
            }
            await eventually { site.node.endpoint.counters.sharesExceeded > 0 }
            #expect(await site.held <= limits.shares.perAccount)
            for _ in 0..<20 { try await site.honestCall() }
            #expect(site.server.statistics.succeeded >= 40)
        }
    }

    /// Four connections of one account ask on 100 streams each, and read nothing.
    @Test(arguments: ConnectionKind.tested) func answersThatNobodyReadsLeaveRoomForOthers(kind: ConnectionKind)
        async throws
    {
        let limits = small()
        var rpc = RPCLimits()
        rpc.untakenAnswers = 1_000_000
        try await run(kind, rpc: rpc, limits) { site async throws in
            let peak = SystemLock(0)
            await withDiscardingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        // Peers of their own: a node keeps one connection of each peer id.
                        let greedy = site.greedy.endpoint
                        let peer = try? TestPeer(
                            account: greedy.identity.account, clock: kind.clock, limits: greedy.limits)
                        guard let peer else { return }
                        if let connection = try? await peer.dial(site.listener, of: site.node, kind: kind) {
                            for _ in 0..<100 {
                                guard let stream = try? await site.open(connection) else { continue }
                                try? await stream.write([0x03, 1, 1, 1, 0x2f, 0x05, 1, 2, 1, 255])
                                let held = await site.held
                                peak.withLock { $0 = max($0, held) }
                            }
                        }
                        await peer.loop.shutdown()
                    }
                }
                for _ in 0..<20 { try? await site.honestCall() }
            }
            // Streams or whole connections, by what is counted first.
            let counters = site.node.endpoint.counters
            #expect(counters.sharesExceeded + counters.sharesRefused + counters.evicted > 0)
            #expect(peak.withLock { $0 } <= limits.heldBytes)
            #expect(site.server.statistics.succeeded >= 20)
            // They have gone, and nothing is held for them any more.
            await eventually { site.node.endpoint.counters.openIncoming == 1 }
            await eventually { await site.held == 0 }
        }
    }

    /// Answers that nobody takes end their streams in time, and then the connection.
    @Test func answersThatNobodyTakesEndTheirConnection() async throws {
        let clock = ManualClock()
        var limits = NetLimits()
        limits.pingInterval = .seconds(3600)
        try await run(.yamux, clock: clock, limits) { site async throws in
            let connection = try await site.dial()
            var streams: [any ByteStream] = []
            for _ in 0..<3 {
                // More than a stream's window, which is granted anew only to who reads.
                streams.append(try await site.open(connection))
                try await streams.last?.write([0x03, 1, 1, 1, 0x2f, 0x05, 1, 2, 1, 255])
            }
            await eventually { await site.held > 3 * 255 * 4096 }
            await eventually {
                await clock.advance(by: .seconds(10), on: site.node.loop)
                return site.node.endpoint.counters.closed[.outputOverflow] == 1
            }
            #expect(site.server.statistics.untakenAnswers == 3)
            #expect(await connection.waitUntilClosed() == .peerClosed)
        }
    }
}
