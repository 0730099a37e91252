import AnySyncNet
import AnySyncWire
import PushCrypto
import Testing

@testable import AnySyncQUIC

@Suite(.timeLimit(.minutes(5))) struct QUICConnectionTests {
    @Test func bothSidesKnowEachOther() async throws {
        try await QUICPair.run { pair in
            #expect(pair.outgoing.remotePeerId == pair.listener.id)
            #expect(pair.incoming.remotePeerId == pair.dialer.id)
            #expect(pair.outgoing.remoteIdentity == pair.listener.endpoint.identity.account.publicKey)
            #expect(pair.incoming.remoteIdentity == pair.dialer.endpoint.identity.account.publicKey)
            #expect(pair.outgoing.kind == .quic)
            #expect(pair.incoming.kind == .quic)
            #expect(pair.incoming.isEncrypted)
            #expect(pair.incoming.version == 13)
            #expect(pair.incoming.remoteClientVersion == "test")
        }
    }

    @Test func streamsCarryBytesBothWays() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            try await stream.write([1, 2, 3])
            let other = try #require(await pair.incoming.nextStream())
            #expect(try await other.read(exactly: 3) == [1, 2, 3])
            try await other.write([4, 5])
            #expect(try await stream.read(exactly: 2) == [4, 5])
            #expect(await stream.isOpen)
            await stream.closeWrite()
            #expect(try await other.read() == nil)
            try await other.write([6])
            await other.closeWrite()
            #expect(try await stream.readAll() == [6])
            #expect(await !stream.isOpen)
        }
    }

    @Test func largeTransfersFlowWithinTheWindow() async throws {
        try await QUICPair.run { pair in
            let payload = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let stream = try await pair.outgoing.openStream()
            async let sent: Void = {
                try await stream.write(payload)
                await stream.closeWrite()
            }()
            let other = try #require(await pair.incoming.nextStream())
            #expect(try await other.readAll() == payload)
            try await sent
        }
    }

    @Test func unreadBytesHoldTheWriterBack() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            let writing = Task { try await stream.write([UInt8](repeating: 7, count: 1_000_000)) }
            let other = try #require(await pair.incoming.nextStream())
            let first = try #require(try await other.read())
            #expect(await pair.outgoing.status.bytesSent < 600_000)
            var count = first.count
            while count < 1_000_000 { count += try #require(try await other.read()).count }
            try await writing.value
            #expect(await pair.outgoing.status.bytesSent > 1_000_000)
        }
    }

    @Test func cancelledWritesResetTheStream() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            let writing = Task { try await stream.write([UInt8](repeating: 7, count: 1_000_000)) }
            let other = try #require(await pair.incoming.nextStream())
            _ = try await other.read()
            writing.cancel()
            await #expect(throws: TransportError.cancelled) { try await writing.value }
            await #expect(throws: TransportError.streamReset) { _ = try await other.readAll() }
        }
    }

    @Test func cancelledReadsEnd() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
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
            // The stream goes on.
            try await stream.write([1])
            let other = try #require(await pair.incoming.nextStream())
            #expect(try await other.read(exactly: 1) == [1])
        }
    }

    @Test func resetsReachTheOtherSide() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            try await stream.write([1])
            let other = try #require(await pair.incoming.nextStream())
            await other.reset()
            await #expect(throws: TransportError.streamReset) { _ = try await stream.read() }
            await #expect(throws: TransportError.streamReset) { try await stream.write([2]) }
            await #expect(throws: TransportError.streamReset) { _ = try await other.read() }
        }
    }

    @Test func aWriterThatWaitsForRoomNoticesThatNobodyReadsAnyMore() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            let writing = Task { try await stream.write([UInt8](repeating: 7, count: 1_000_000)) }
            let other = try #require(await pair.incoming.nextStream())
            _ = try await other.read()
            other.close()
            await #expect(throws: TransportError.streamReset) { try await writing.value }
        }
    }

    @Test func closingEndsEverything() async throws {
        try await QUICPair.run { pair in
            let stream = try await pair.outgoing.openStream()
            try await stream.write([1])
            let reading = Task { try await stream.read() }
            let other = try #require(await pair.incoming.nextStream())
            await pair.incoming.close(.local)
            #expect(await pair.outgoing.waitUntilClosed() == .peerClosed)
            #expect(await pair.incoming.waitUntilClosed() == .local)
            await #expect(throws: TransportError.self) { _ = try await reading.value }
            await #expect(throws: TransportError.self) {
                _ = try await other.read()
                _ = try await other.read()
            }
            #expect(await pair.outgoing.nextStream() == nil)
            await #expect(throws: TransportError.self) { _ = try await pair.outgoing.openStream() }
            #expect(pair.listener.endpoint.counters.closed == [.local: 1])
            #expect(pair.dialer.endpoint.counters.closed == [.peerClosed: 1])
            #expect(pair.listener.endpoint.connections.isEmpty)
        }
    }

    @Test func outgoingStreamsAreLimited() async throws {
        var limits = NetLimits()
        limits.outgoingStreams = 2
        try await QUICPair.run(dialerLimits: limits) { pair in
            let first = try await pair.outgoing.openStream()
            _ = try await pair.outgoing.openStream()
            await #expect(throws: TransportError.tooManyStreams) { _ = try await pair.outgoing.openStream() }
            await first.reset()
            _ = try await pair.outgoing.openStream()
        }
    }

    @Test func dialersRefuseStreamsThatNobodyTakes() async throws {
        try await QUICPair.run { pair in
            let hello = try await pair.outgoing.openStream()
            try await hello.write([1])
            _ = await pair.incoming.nextStream()
            let stream = try await pair.incoming.openStream()
            try await stream.write([1])
            await #expect(throws: TransportError.streamReset) { _ = try await stream.read() }
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

    @Test func manyStreamsOneAfterTheOther() async throws {
        try await QUICPair.run { pair in
            let echoing = Task {
                while let stream = await pair.incoming.nextStream() {
                    guard let bytes = try? await stream.readAll() else { continue }
                    try? await stream.write(bytes)
                    await stream.closeWrite()
                }
            }
            // Far more than a peer may have open at once.
            for number in 0..<600 {
                let stream = try await pair.outgoing.openStream()
                try await stream.write([UInt8(truncatingIfNeeded: number)])
                await stream.closeWrite()
                #expect(try await stream.readAll() == [UInt8(truncatingIfNeeded: number)])
            }
            await pair.outgoing.close(.local)
            await echoing.value
        }
    }
}
