import AnySyncNet
import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

/// What strangers do to a listening port.
@Suite(.timeLimit(.minutes(5))) struct QUICStrangerTests {
    static func run(
        limits: NetLimits = NetLimits(), quic: QUICLimits = QUICLimits(),
        _ body: (QUICPeer, any Listener, EventLoop) async throws -> Void
    ) async throws {
        let node = try QUICPeer(limits: limits, quic: quic)
        let strangers = try EventLoop()
        var failure: (any Error)?
        do {
            try await body(node, try await node.listen(), strangers)
        } catch {
            failure = error
        }
        await node.loop.shutdown()
        await strangers.shutdown()
        #expect(node.endpoint.counters.unfinishedHandshakes == 0)
        #expect(node.endpoint.counters.openIncoming == 0)
        if let failure { throw failure }
    }

    /// That a well-behaved peer is served.
    static func expectService(_ node: QUICPeer, _ listener: any Listener) async throws {
        let peer = try QUICPeer()
        let connection = try await peer.dial(listener, of: node)
        let stream = try await connection.openStream()
        try await stream.write([1])
        var incoming: (any Connection)?
        repeat { incoming = await listener.nextConnection() } while incoming?.remotePeerId != peer.id
        let other = try #require(await incoming?.nextStream())
        #expect(try await other.read(exactly: 1) == [1])
        await peer.loop.shutdown()
    }

    static func counters(_ node: QUICPeer) async throws -> QUICCounters {
        try #require(await node.transport.counters.first)
    }

    @Test func garbageIsIgnored() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            var random = SeededGenerator(seed: 7)
            var datagrams: [[UInt8]] = [[0], [0x40], [0x80], [0xc0, 0, 0, 0, 1], [0xff, 0xff]]
            for count in stride(from: 1, to: 1500, by: 7) {
                datagrams.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            await stranger.send(datagrams)
            try await Self.expectService(node, listener)
            #expect(stranger.answeredCount <= 3 * stranger.sentCount.withLock { $0 })
            #expect(try await Self.counters(node).ignored > 0)
            #expect(node.endpoint.counters.accepted == 1)
        }
    }

    @Test func otherVersionsAreToldWhichIsSpoken() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            var datagram = [UInt8](repeating: 0, count: 1200)
            datagram.replaceSubrange(0..<16, with: [0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 4, 1, 2, 3, 4, 4, 5, 6, 7, 8, 0])
            // Too small to be answered.
            await stranger.send([Array(datagram.prefix(1199)), datagram])
            await stranger.waitForAnswers(1)
            let answer = try #require(stranger.answers.withLock { $0.first })
            #expect(answer[0] & 0x80 != 0)
            #expect(Array(answer[1..<5]) == [0, 0, 0, 0])
            // The ids change places.
            #expect(Array(answer[5..<15]) == [4, 5, 6, 7, 8, 4, 1, 2, 3, 4])
            #expect(answer.suffix(4) == [0, 0, 0, 1])
            #expect(try await Self.counters(node).versionNegotiations == 1)
            try await Self.expectService(node, listener)
        }
    }

    @Test func unknownConnectionsAreResetWithLessThanWasSent() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            let sizes = [21, 22, 30, 60, 1200]
            await stranger.send(sizes.map { [0x41] + [UInt8](repeating: 9, count: $0 - 1) })
            await stranger.waitForAnswers(4)
            let answers = stranger.answers.withLock { $0.map(\.count) }
            #expect(zip(answers, sizes.dropFirst()).allSatisfy { $0 < $1 })
            // The token that ends each is the id's.
            #expect(stranger.answers.withLock { Set($0.map { Array($0.suffix(16)) }) }.count == 1)
        }
    }

    @Test func anUnvalidatedAddressGetsAtMostThreeTimesWhatItSent() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            let flight = try Stranger.firstFlight()
            await stranger.send(flight)
            await stranger.waitForAnswers(1)
            // Time for the listener to send again what nobody acknowledges.
            try await Self.expectService(node, listener)
            try await Self.expectService(node, listener)
            #expect(stranger.answeredCount > 0)
            #expect(stranger.answeredCount <= 3 * stranger.sentCount.withLock { $0 })
        }
    }

    @Test func halfAHandshakeIsDroppedAfterTheDeadline() async throws {
        var limits = NetLimits()
        limits.handshakeTimeout = .milliseconds(300)
        try await Self.run(limits: limits) { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            await stranger.send(try Stranger.firstFlight())
            await eventually { !node.endpoint.counters.refused.isEmpty }
            #expect(node.endpoint.counters.refused == [.handshakeTimeout: 1])
            #expect(stranger.answeredCount <= 3 * stranger.sentCount.withLock { $0 })
        }
    }

    @Test func aCutFirstDatagramIsIgnored() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            let whole = try #require(try Stranger.firstFlight().first)
            await stranger.send(stride(from: 1, to: 1199, by: 50).map { Array(whole.prefix($0)) })
            try await Self.expectService(node, listener)
            #expect(node.endpoint.counters.accepted == 1)
            #expect(stranger.answeredCount == 0)
        }
    }

    @Test func underLoadDialersProveTheirAddress() async throws {
        var quic = QUICLimits()
        quic.handshakesBeforeRetry = 2
        try await Self.run(quic: quic) { node, listener, loop in
            let stranger = try await Stranger.start(from: "127.0.0.9", to: listener, on: loop)
            for _ in 0..<5 { await stranger.send(try Stranger.firstFlight()) }
            try await eventually { try await Self.counters(node).retries >= 3 }
            #expect(node.endpoint.counters.accepted == 2)
            // An honest dialer comes back with its token.
            try await Self.expectService(node, listener)
            #expect(node.endpoint.counters.accepted == 3)
            #expect(try await Self.counters(node).retries >= 4)
        }
    }

    @Test func fewHandshakesBeginWithoutAProofHoweverTheyEnd() async throws {
        var quic = QUICLimits()
        quic.unprovenPerSecond = 1
        try await Self.run(quic: quic) { node, listener, loop in
            let stranger = try await Stranger.start(from: "127.0.0.9", to: listener, on: loop)
            let start = ContinuousClock.now
            // Forged: they are dropped as soon as they are looked at, and leave no unfinished handshake.
            var flight = try #require(try Stranger.firstFlight().first)
            for byte in UInt8(0)..<20 {
                flight[6] = byte
                await stranger.send([flight])
            }
            try await eventually {
                try await Self.counters(node).retries + node.endpoint.counters.accepted >= 20
            }
            // Two at once, and one more each second.
            let accepted = Double(node.endpoint.counters.accepted)
            #expect(accepted <= 2 + (ContinuousClock.now - start) / .seconds(1))
            try await Self.expectService(node, listener)
        }
    }

    @Test func tokensOfOthersAreRefused() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            // An Initial whose token begins like one of ours.
            var datagram: [UInt8] = [0xc3, 0, 0, 0, 1, 8] + [UInt8](repeating: 1, count: 8) + [0]
            datagram += [0x40, 0x50, 0xb6] + [UInt8](repeating: 2, count: 0x4f) + [0x44, 0x00]
            datagram += [UInt8](repeating: 3, count: 0x400)
            datagram += [UInt8](repeating: 0, count: 1200 - min(1200, datagram.count))
            await stranger.send([datagram])
            await stranger.waitForAnswers(1)
            #expect(try await Self.counters(node).invalidTokens == 1)
            #expect(node.endpoint.counters.accepted == 0)
        }
    }

    @Test func theOldestOfTooManyHandshakesGoes() async throws {
        var limits = NetLimits()
        limits.unfinishedHandshakes = 4
        try await Self.run(limits: limits) { node, listener, loop in
            let stranger = try await Stranger.start(to: listener, on: loop)
            for _ in 0..<10 { await stranger.send(try Stranger.firstFlight()) }
            await eventually { node.endpoint.counters.refused[.handshakesShed, default: 0] >= 6 }
            await eventually { node.endpoint.counters.accepted >= 10 }
            #expect(node.endpoint.counters.unfinishedHandshakes <= 4)
            try await Self.expectService(node, listener)
        }
    }

    @Test func aConnectionThatTakesTooMuchMemoryIsClosed() async throws {
        var limits = NetLimits()
        limits.bufferedInput = 16 * 1024
        var quic = QUICLimits()
        // Less than the library's own pools take, and more than half of it.
        quic.memoryPerConnection = 48 * 1024
        try await Self.run(limits: limits, quic: quic) { node, listener, _ in
            let peer = try QUICPeer()
            await #expect(throws: TransportError.self) { _ = try await peer.dial(listener, of: node) }
            await eventually { node.endpoint.counters.refused == [.inputOverflow: 1] }
            await peer.loop.shutdown()
        }
    }

    @Test func aFloodFromOneAddressCostsTheOthersNothing() async throws {
        try await Self.run { node, listener, loop in
            let stranger = try await Stranger.start(from: "127.0.0.7", to: listener, on: loop)
            let flight = try #require(try Stranger.firstFlight().first)
            // Each with another id, as one who forges would do; the first is a client hello that decrypts.
            let flood = (0..<50_000).map { number in
                var datagram = flight
                for byte in 0..<4 { datagram[6 + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
                return datagram
            }
            let start = ContinuousClock.now
            let flooding = Task {
                for start in stride(from: 0, to: flood.count, by: 1000) {
                    await stranger.send(Array(flood[start..<start + 1000]))
                }
            }
            for _ in 0..<3 { try await Self.expectService(node, listener) }
            await flooding.value
            try await Self.expectService(node, listener)
            #expect(node.endpoint.counters.unfinishedHandshakes <= 256)
            // What one address may begin, and the four dials of ours.
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(Double(node.endpoint.counters.accepted) <= 400 + 200 * (seconds + 1) + 4)
            #expect(stranger.answeredCount <= 3 * stranger.sentCount.withLock { $0 })
            #expect(try await Self.counters(node).rateLimited > 0)
        }
    }
}
