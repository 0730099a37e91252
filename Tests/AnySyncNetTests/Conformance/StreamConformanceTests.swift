import PushCrypto
import Testing

@testable import AnySyncNet

/// What every kind of connection does alike: streams.
@Suite(.timeLimit(.minutes(5))) struct StreamConformanceTests {
    @Test(arguments: ConnectionKind.tested)
    func bothSidesKnowEachOther(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            #expect(pair.outgoing.remotePeerId == pair.listener.id)
            #expect(pair.incoming.remotePeerId == pair.dialer.id)
            #expect(pair.outgoing.remoteIdentity == pair.listener.endpoint.identity.account.publicKey)
            #expect(pair.incoming.remoteIdentity == pair.dialer.endpoint.identity.account.publicKey)
            for connection in [pair.outgoing, pair.incoming] {
                #expect(connection.kind == kind)
                #expect(connection.isEncrypted == (kind != .yamux))
                #expect(connection.version == 13)
                #expect(connection.remoteClientVersion == "test")
                #expect(connection.remoteAddress.hasPrefix("127.0.0.1:"))
            }
            #expect(pair.dialer.endpoint.counters.establishedOutgoing == [kind: 1])
            #expect(pair.listener.endpoint.counters.establishedIncoming == [kind: 1])
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func tinyMessagesBothWaysAndHalfClose(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let stream = try await pair.outgoing.openStream()
            try await stream.write([1])
            let other = try #require(await pair.incoming.nextStream())
            #expect(try await other.read(exactly: 1) == [1])
            for byte in 0..<100 as Range<UInt8> {
                try await other.write([byte])
                #expect(try await stream.read(exactly: 1) == [byte])
                try await stream.write([byte, 0])
                #expect(try await other.read(exactly: 2) == [byte, 0])
            }
            #expect(await stream.isOpen)
            await stream.closeWrite()
            #expect(try await other.read() == nil)
            // The other direction goes on.
            try await other.write([6])
            #expect(try await stream.read(exactly: 1) == [6])
            await other.closeWrite()
            #expect(try await stream.read() == nil)
            #expect(await !stream.isOpen)
            #expect(await !other.isOpen)
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func largeMessagesFlowWithinTheWindow(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let payload = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let stream = try await pair.outgoing.openStream()
            async let sent: Void = {
                try await stream.write(payload)
                await stream.closeWrite()
            }()
            let other = try #require(await pair.incoming.nextStream())
            #expect(try await other.readAll() == payload)
            try await sent
            async let answered: Void = {
                try await other.write(payload)
                await other.closeWrite()
            }()
            #expect(try await stream.readAll() == payload)
            try await answered
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func manyStreamsAtOnceKeepTheirBytesApart(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.outgoingStreams = 100
        try await TestPair.run(kind: kind, dialerLimits: limits) { pair in
            let echoing = Task {
                await withDiscardingTaskGroup { group in
                    while let stream = await pair.incoming.nextStream() {
                        group.addTask {
                            while let bytes = try? await stream.read() { try? await stream.write(bytes) }
                            await stream.closeWrite()
                        }
                    }
                }
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let payload = [UInt8](repeating: UInt8(index), count: 1 + index * 97)
                        let stream = try await pair.outgoing.openStream()
                        try await stream.write(payload)
                        await stream.closeWrite()
                        return try await stream.readAll() == payload
                    }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
            echoing.cancel()
            await echoing.value
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func streamsMayBeOpenedAfterManyHaveEnded(kind: ConnectionKind) async throws {
        // More than any kind allows at once: an ended stream must make room for another.
        try await TestPair.run(kind: kind) { pair in
            for index in 0..<300 {
                let stream = try await pair.outgoing.openStream()
                try await stream.write([UInt8(truncatingIfNeeded: index)])
                await stream.closeWrite()
                let other = try #require(await pair.incoming.nextStream())
                #expect(try await other.readAll() == [UInt8(truncatingIfNeeded: index)])
                await other.closeWrite()
                #expect(try await stream.readAll().isEmpty)
            }
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func resetsReachTheOtherSideAndNoOtherStream(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (kept, keptThere) = try await pair.stream()
            for isFromDialer in [true, false] {
                let (here, there) = try await pair.stream()
                let (first, second) = isFromDialer ? (here, there) : (there, here)
                let reading = Task { try await second.read() }
                await first.reset()
                await #expect(throws: TransportError.streamReset) { _ = try await reading.value }
                await #expect(throws: TransportError.streamReset) { try await second.write([2]) }
                await #expect(throws: TransportError.streamReset) { _ = try await first.read() }
                await #expect(throws: TransportError.streamReset) { try await first.write([2]) }
                #expect(await !first.isOpen)
                #expect(await !second.isOpen)
            }
            try await kept.write([9])
            #expect(try await keptThere.read(exactly: 1) == [9])
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func closingAStreamEndsItsCallsOnly(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (kept, keptThere) = try await pair.stream()
            let (stream, other) = try await pair.stream()
            let reading = Task { try await stream.read() }
            stream.close()
            await #expect(throws: TransportError.streamReset) { _ = try await reading.value }
            // The peer sees an end, in order or not.
            while let bytes = try? await other.read() { #expect(bytes.isEmpty) }
            other.close()
            try await kept.write([9])
            #expect(try await keptThere.read(exactly: 1) == [9])
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func cancelledReadsEndAndTheStreamGoesOn(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (stream, other) = try await pair.stream()
            let reading = Task { try await stream.read() }
            let accepting = Task { await pair.outgoing.nextStream() == nil }
            let waiting = Task { await pair.outgoing.waitUntilClosed() }
            for _ in 0..<10 { await Task.yield() }
            reading.cancel()
            accepting.cancel()
            waiting.cancel()
            await #expect(throws: TransportError.cancelled) { _ = try await reading.value }
            #expect(await accepting.value)
            #expect(await waiting.value == nil)
            try await stream.write([1])
            #expect(try await other.read(exactly: 1) == [1])
            try await other.write([2])
            #expect(try await stream.read(exactly: 1) == [2])
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func cancelledWritesResetTheStream(kind: ConnectionKind) async throws {
        try await TestPair.run(kind: kind) { pair in
            let (stream, other) = try await pair.stream()
            let writing = Task { try await stream.write([UInt8](repeating: 7, count: 4 << 20)) }
            _ = try await other.read()
            writing.cancel()
            await #expect(throws: TransportError.cancelled) { try await writing.value }
            await #expect(throws: TransportError.streamReset) { _ = try await other.readAll() }
        }
    }
}

extension TestPair {
    /// A stream from the dialer, seen from both sides; one byte has been sent and read.
    func stream() async throws -> (outgoing: any ByteStream, incoming: any ByteStream) {
        let stream = try await outgoing.openStream()
        try await stream.write([0])
        guard let other = await incoming.nextStream() else { throw TestFailure("no stream came") }
        guard try await other.read(exactly: 1) == [0] else { throw TestFailure("the wrong stream came") }
        return (stream, other)
    }
}
