import AnySyncNet
import AnySyncWire
import PushCrypto
import Testing

@testable import AnySyncQUIC

/// What only QUIC does; the rest is the conformance suite's.
@Suite(.timeLimit(.minutes(5))) struct QUICConnectionTests {
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
}
