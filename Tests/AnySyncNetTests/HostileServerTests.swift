import AnySyncWire
import Locks
import TestSupport
import Testing

@testable import AnySyncNet

/// What a server may do to a client: each breach costs one call, and the next one works.
@Suite(.timeLimit(.minutes(5))) struct HostileServerTests {
    /// Runs `body` with a client whose streams are answered by `script`, one after the other.
    private func run(
        _ script: @escaping @Sendable (Int, any ByteStream) async throws -> Void,
        _ body: (DRPCClient, TestPair) async throws -> Void
    ) async throws {
        try await TestPair.run { pair in
            let serving = Task {
                var index = 0
                while let stream = await pair.incoming.nextStream() {
                    try await script(index, stream)
                    index += 1
                }
            }
            let client = DRPCClient(connection: pair.outgoing)
            try await body(client, pair)
            await client.close()
            serving.cancel()
            _ = await serving.result
        }
    }

    private static let hello = ProtoOffer(encodings: [.none]).frame

    /// A stream's opening handshake and one call with an empty request: answered with `answer` as it is.
    private static func serve(_ stream: any ByteStream, _ answer: [UInt8]) async throws {
        _ = try await stream.read(exactly: ProtoOffer(encodings: [.snappy, .none]).frame.count)
        try await stream.write(hello)
        _ = try await stream.read()
        try await stream.write(answer)
    }

    private static let good: [UInt8] = [0x05, 1, 1, 1, 7, 0x0d, 1, 2, 0]

    @Test func brokenAnswersCostOneCall() async throws {
        let script = { @Sendable (index: Int, stream: any ByteStream) async throws in
            // Ids that go back; an answer over the limit; an answer to a call that was not made.
            let answers: [[UInt8]] = [
                [0x05, 1, 0, 0], [0x05, 1, 1, 0x80, 0x80, 0x80, 0x02], [0x05, 9, 1, 0], Self.good,
            ]
            try await Self.serve(stream, answers[index])
        }
        try await run(script) { client, pair async throws in
            for _ in 0..<3 {
                do {
                    _ = try await client.call("/x", [], timeout: .seconds(5))
                    Issue.record("a broken answer was taken")
                } catch CallError.malformed {
                    continue
                } catch {
                    Issue.record("found \(error)")
                }
            }
            #expect(try await client.answer("/x", [], timeout: .seconds(5)) == [7])
            #expect(await pair.outgoing.status.closed == nil)
        }
    }

    @Test func refusedStreamsAreNamed() async throws {
        let script = { @Sendable (index: Int, stream: any ByteStream) async throws in
            guard index == 0 else { return try await Self.serve(stream, Self.good) }
            _ = try await stream.read()
            try await stream.write(HandshakeAck(.incompatibleProto).frame)
        }
        try await run(script) { client, _ async throws in
            await #expect(throws: CallError.streamRefused(.refusedByPeer(.incompatibleProto))) {
                _ = try await client.call("/x", [], timeout: .seconds(5))
            }
            #expect(try await client.answer("/x", [], timeout: .seconds(5)) == [7])
        }
    }

    @Test func streamsThatEndFailTheirCall() async throws {
        let script = { @Sendable (index: Int, stream: any ByteStream) async throws in
            switch index {
            case 0: await stream.reset()
            case 1:
                try await Self.serve(stream, [])
                await stream.closeWrite()
            default: try await Self.serve(stream, Self.good)
            }
        }
        try await run(script) { client, _ async throws in
            for _ in 0..<2 {
                await #expect(throws: CallError.transport(.streamReset)) {
                    _ = try await client.call("/x", [], timeout: .seconds(5))
                }
            }
            #expect(try await client.answer("/x", [], timeout: .seconds(5)) == [7])
        }
    }

    @Test func aStreamThatEndedWhileIdleIsNotUsed() async throws {
        let ended = SystemLock(0)
        let script = { @Sendable (index: Int, stream: any ByteStream) async throws in
            try await Self.serve(stream, Self.good)
            await stream.closeWrite()
            ended.withLock { $0 = index + 1 }
        }
        try await run(script) { client, pair async throws in
            for round in 1...3 {
                #expect(try await client.answer("/x", [], timeout: .seconds(5)) == [7])
                await eventually { ended.withLock { $0 } >= round }
                // Until the end of the stream has arrived too.
                await eventually {
                    let sent = await pair.incoming.status
                    let received = await pair.outgoing.status.bytesReceived
                    return sent.queuedBytes == 0 && sent.bytesSent == received
                }
            }
        }
    }
}
