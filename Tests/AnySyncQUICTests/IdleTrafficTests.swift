import AnySyncNet
import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

/// What a proven peer may send without a use.
@Suite(.timeLimit(.minutes(5))) struct IdleTrafficTests {
    @Test func whatIsGivenBackCanBeTakenAgain() {
        var bucket = TokenBucket(perSecond: 2, now: .zero)
        for _ in 0..<4 { #expect(bucket.take(now: .zero) == true) }
        #expect(bucket.take(now: .zero) == false)
        bucket.give(1)
        #expect(bucket.take(now: .zero) == true)
        bucket.give(100)
        for _ in 0..<4 { #expect(bucket.take(now: .zero) == true) }
        #expect(bucket.take(now: .zero) == false)
    }

    @Test func pingsAreDroppedAndTransfersAreNot() async throws {
        var limits = QUICLimits()
        limits.idleDatagramsPerSecond = 200
        try await QUICPathTests.run(quic: limits) { _ in
            .carried
        } _: { dialer, listener, socket, _, address in
            let outgoing = try await dialer.transport.dial(address, peer: listener.id, turn: DialTurn(version: 13))
            let incoming = try #require(await socket.nextConnection())
            let served = try #require(incoming as? QUICConnection)
            // Some 2,900 datagrams in each direction, and as many acknowledgements.
            try await QUICPathTests.echo(4_000_000, outgoing, incoming)
            #expect(await served.droppedDatagrams == 0)
            let connection = try #require(outgoing as? QUICConnection)
            await connection.ping(every: .microseconds(100))
            // Whatever is said from then on sets the new interval going.
            try await QUICPathTests.echo(10, outgoing, incoming)
            await eventually { await served.droppedDatagrams > 0 }
            await connection.ping(every: .seconds(20))
            try await QUICPathTests.echo(10_000, outgoing, incoming)
            await incoming.close(.local)
            await eventually { listener.endpoint.counters.droppedDatagrams > 0 }
        }
    }
}

extension QUICConnection {
    fileprivate var droppedDatagrams: UInt64 { link.droppedDatagrams }

    fileprivate func ping(every interval: Duration) {
        session.keepAlive(every: interval)
    }
}
