import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What an authenticated peer may do to an RPC server: each breach costs it a stream, and others never notice.
@Suite(.timeLimit(.minutes(5))) struct HostileCallerTests {
    private func run(
        limits: RPCLimits = RPCLimits(), nodeClock: any LoopClock = ManualClock(),
        _ body: (DRPCServer, any Connection, TestPeer, DRPCTests.TestHandler) async throws -> Void
    ) async throws {
        let node = try TestPeer(clock: nodeClock)
        let peer = try TestPeer()
        let handler = DRPCTests.TestHandler()
        let server = DRPCServer(handler: handler, limits: limits)
        let listener = try await node.listen()
        let serving = Task { await server.serve(listener) }
        let connection = try await peer.dial(listener, of: node)
        var failure: (any Error)?
        do {
            try await body(server, connection, node, handler)
            // The connection is as good as ever.
            let client = DRPCClient(connection: connection)
            #expect(try await client.answer("/test/Echo", [5], timeout: .seconds(30)) == [5])
            await client.close()
        } catch {
            failure = error
        }
        handler.release.open()
        serving.cancel()
        await serving.value
        let held = await node.loop.onLoop { node.endpoint.pot.total }
        await peer.loop.shutdown()
        await node.loop.shutdown()
        #expect(server.statistics.activeStreams == 0)
        #expect(server.gate.isEmpty)
        #expect(held == 0)
        if let failure { throw failure }
    }

    /// A stream whose opening handshake is done, without compression.
    private func open(_ connection: any Connection) async throws -> any ByteStream {
        let stream = try await connection.openStream()
        try await stream.write(ProtoOffer(encodings: []).frame)
        #expect(try await stream.read(exactly: 5) == HandshakeAck(.null).frame)
        return stream
    }

    private func packet(_ kind: UInt8, stream: UInt8 = 1, message: UInt8, _ body: [UInt8]) -> [UInt8] {
        [kind << 1 | 1, stream, message, UInt8(body.count)] + body
    }

    private func call(_ rpc: String, stream: UInt8 = 1) -> [UInt8] {
        packet(1, stream: stream, message: 1, Array(rpc.utf8)) + packet(2, stream: stream, message: 2, [7])
    }

    @Test func garbageInPlaceOfTheOpeningHandshake() async throws {
        try await run { server, connection, _, _ async throws in
            let stream = try await connection.openStream()
            try await stream.write([3, 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
            #expect(try await stream.readAll() == HandshakeAck(.unexpected).frame)
            let other = try await connection.openStream()
            try await other.write([9, 0, 0, 0, 0])
            #expect(try await other.readAll().isEmpty)
            await eventually { server.statistics.activeStreams == 0 }
            #expect(server.statistics.refusedStreams == 2)
        }
    }

    @Test func silentStreamsAreEndedAfterTheDeadline() async throws {
        let clock = ManualClock()
        try await run(nodeClock: clock) { server, connection, node, _ async throws in
            let stream = try await connection.openStream()
            try await stream.write([3])
            await eventually { server.statistics.activeStreams > 0 }
            // The timer runs once the stream's task has begun.
            await eventually { await node.loop.nextDeadline() == .zero.advanced(by: .seconds(10)) }
            await clock.advance(by: .seconds(10), on: node.loop)
            #expect(try await stream.readAll().isEmpty)
            await eventually { server.statistics.activeStreams == 0 }
            #expect(server.statistics.refusedStreams == 1)
        }
    }

    @Test func brokenPacketsEndTheirStreamOnly() async throws {
        let broken: [[UInt8]] = [
            // A zero id; a message without call; an unknown kind; an endless varint.
            packet(1, stream: 0, message: 1, []), packet(2, message: 1, [1]), packet(0, message: 1, []),
            [0x03] + [UInt8](repeating: 0xff, count: 12),
            // A message announced as 1 GiB.
            packet(1, message: 1, Array("/test/Echo".utf8)) + [0x05, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x04],
        ]
        try await run { server, connection, _, _ async throws in
            for bytes in broken {
                let stream = try await open(connection)
                try await stream.write(bytes)
                #expect(try await stream.readAll().isEmpty)
            }
            #expect(server.statistics.protocolErrors == UInt64(broken.count))
        }
    }

    @Test func messagesThatNeverEndAreCut() async throws {
        var limits = RPCLimits()
        limits.packets.maximumMessageSize = 10_000
        try await run(limits: limits) { server, connection, _, _ async throws in
            let stream = try await open(connection)
            try await stream.write(packet(1, message: 1, Array("/test/Echo".utf8)))
            // Frames of one message without the done bit, for as long as it lasts.
            let frame: [UInt8] = [0x04, 1, 2, 0xe8, 0x07] + [UInt8](repeating: 0, count: 1000)
            var sent = 0
            while sent < 100, await stream.isOpen {
                do { try await stream.write(frame) } catch { break }
                sent += 1
                await Task.yield()
            }
            #expect(try await stream.readAll().isEmpty)
            #expect(server.statistics.protocolErrors == 1)
        }
    }

    @Test func aSecondCallCancelsTheFirst() async throws {
        try await run { server, connection, _, handler async throws in
            let stream = try await open(connection)
            try await stream.write(call("/test/Wait"))
            await eventually { handler.running.withLock { $0 } > 0 }
            try await stream.write(call("/test/Echo", stream: 2))
            // The answer is the second call's.
            #expect(
                try await stream.read(exactly: 9) == packet(2, stream: 2, message: 1, [7])
                    + packet(6, stream: 2, message: 2, []))
            #expect(handler.cancelled.withLock { $0 } == 1)
            #expect(server.statistics.cancelled == 1)
            await stream.reset()
        }
    }

    @Test func finishingTheStreamCancelsTheCall() async throws {
        try await run { server, connection, _, handler async throws in
            let stream = try await open(connection)
            try await stream.write(call("/test/Wait"))
            await eventually { handler.running.withLock { $0 } > 0 }
            await stream.closeWrite()
            #expect(try await stream.readAll().isEmpty)
            #expect(handler.cancelled.withLock { $0 } == 1)
        }
    }

    @Test func callsWithoutMessageFail() async throws {
        try await run { _, connection, _, _ async throws in
            let stream = try await open(connection)
            try await stream.write(packet(1, message: 1, Array("/test/Echo".utf8)) + packet(6, message: 2, []))
            let answer = try await stream.read(exactly: 4 + 8 + 3)
            #expect(RPCError(decoding: answer[4...]) == RPCError.endOfCall)
            await stream.reset()
        }
    }

    @Test func messagesThatTrickleAreCutAfterTheirTime() async throws {
        let clock = ManualClock()
        var limits = RPCLimits()
        // Unlike any other deadline.
        limits.messageTime = .seconds(7)
        try await run(limits: limits, nodeClock: clock) { server, connection, node, _ async throws in
            let stream = try await open(connection)
            try await stream.write(packet(1, message: 1, Array("/test/Echo".utf8)) + [0x05, 1, 2, 0x64])
            await eventually { await node.loop.nextDeadline() == .zero.advanced(by: .seconds(7)) }
            for _ in 0..<6 {
                // A byte now and then puts nothing off.
                try await stream.write([0])
                await clock.advance(by: .seconds(1), on: node.loop)
            }
            #expect(server.statistics.lateMessages == 0)
            await clock.advance(by: .seconds(1), on: node.loop)
            #expect(try await stream.readAll().isEmpty)
            #expect(server.statistics.lateMessages == 1)
        }
    }

    @Test func aMessageAfterAnotherHasItsOwnTime() async throws {
        let clock = ManualClock()
        var limits = RPCLimits()
        // Unlike any other deadline.
        limits.messageTime = .seconds(7)
        try await run(limits: limits, nodeClock: clock) { server, connection, node, _ async throws in
            let stream = try await open(connection)
            let invoke = { (call: UInt8) in packet(1, stream: call, message: 1, Array("/test/Echo".utf8)) }
            try await stream.write(invoke(1))
            for call in 1...3 as ClosedRange<UInt8> {
                await eventually { await node.loop.nextDeadline() == clock.now().advanced(by: .seconds(7)) }
                await clock.advance(by: .seconds(6), on: node.loop)
                // The end of one message, and the beginning of the next once that is answered.
                try await stream.write(packet(2, stream: call, message: 2, [call]))
                _ = try await stream.read(exactly: 9)
                try await stream.write(invoke(call + 1))
            }
            #expect(server.statistics.lateMessages == 0)
            await stream.reset()
        }
    }

    @Test func streamsOverTheLimitAreReset() async throws {
        var limits = NetLimits()
        limits.outgoingStreams = 1000
        limits.incomingStreams = 4
        try await TestPair.run(dialerLimits: limits, listenerLimits: limits) { pair in
            var streams: [any ByteStream] = []
            for _ in 0..<6 {
                streams.append(try await pair.outgoing.openStream())
            }
            for _ in 0..<4 { _ = try #require(await pair.incoming.nextStream()) }
            for stream in streams[4...] {
                await #expect(throws: TransportError.streamReset) { _ = try await stream.read() }
            }
            #expect(await pair.incoming.status.openStreams == 4)
        }
    }
}
