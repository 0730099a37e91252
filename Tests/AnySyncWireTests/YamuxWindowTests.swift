import AnySyncWire
import Testing

@Suite struct YamuxWindowTests {
    private let window = Int(YamuxLimits.initialWindow)

    @Test func sendingStopsAtThePeersWindow() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        let bytes = [UInt8](repeating: 7, count: window + 10)
        #expect(pair.dialer.sendCapacity(of: stream) == window)
        #expect(try pair.dialer.send(bytes[...], on: stream) == window)
        #expect(pair.dialer.sendCapacity(of: stream) == 0)
        #expect(try pair.dialer.send([1], on: stream) == 0)
        pair.toListener()
        pair.listener.consumed(window / 2 - 1, on: stream)
        #expect(pair.toDialer() == [])
        pair.listener.consumed(1, on: stream)
        #expect(pair.toDialer() == [.sendWindowOpened(stream: stream)])
        #expect(pair.dialer.sendCapacity(of: stream) == window / 2)
    }

    @Test func theGrantIsAllThatWasConsumed() throws {
        var (session, _) = listener(frame(.data, .syn, data: [UInt8](repeating: 0, count: 200_000)))
        session.consumed(100_000, on: 1)
        #expect(session.takeOutput() == [])
        session.consumed(90_000, on: 1)
        #expect(session.takeOutput() == frame(.windowUpdate, length: 190_000))
        session.consumed(10_000, on: 1)
        #expect(session.takeOutput() == [])
    }

    @Test func moreThanWasReceivedIsNeverGranted() {
        var (session, _) = listener(frame(.data, .syn, data: [UInt8](repeating: 0, count: 200_000)))
        session.consumed(.max, on: 1)
        #expect(session.takeOutput() == frame(.windowUpdate, length: 200_000))
        session.consumed(.max, on: 1)
        session.consumed(-5, on: 1)
        session.consumed(5, on: 77)
        #expect(session.takeOutput() == [])
    }

    @Test func nothingIsGrantedToAPeerThatHasFinished() {
        var (session, _) = listener(frame(.data, [.syn, .fin], data: [UInt8](repeating: 0, count: 200_000)))
        session.consumed(200_000, on: 1)
        #expect(session.takeOutput() == [])
    }

    @Test func dataIsWrittenInFramesOfAtMost64KiB() throws {
        var session = YamuxSession(role: .dialer, now: .zero)
        let stream = try session.open(now: .zero)
        _ = session.takeOutput()
        let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        #expect(try session.send(bytes[...], on: stream) == bytes.count)
        let expected =
            frame(.data, data: Array(bytes[..<65_536])) + frame(.data, data: Array(bytes[65_536..<131_072]))
            + frame(.data, data: Array(bytes[131_072...]))
        #expect(session.takeOutput() == expected)
    }

    @Test func aDeltaOnTheOpeningFrameEnlargesTheWindow() {
        let (session, _) = listener(frame(.windowUpdate, .syn, length: 1000))
        #expect(session.sendCapacity(of: 1) == window + 1000)
    }

    @Test func aWindowPast4GiBIsHeldThere() {
        let (session, _) = listener(frame(.windowUpdate, .syn, length: .max) + frame(.windowUpdate, length: .max))
        #expect(session.sendCapacity(of: 1) == Int(UInt32.max))
    }

    @Test func pendingOutputIsBounded() throws {
        var limits = YamuxLimits()
        limits.maximumPendingOutput = 1000
        var session = YamuxSession(role: .dialer, limits: limits, now: .zero)
        let stream = try session.open(now: .zero)
        let bytes = [UInt8](repeating: 1, count: 5000)
        let first = try session.send(bytes[...], on: stream)
        #expect(first == 1000 - YamuxHeader.size)
        #expect(try session.send(bytes[...], on: stream) == 0)
        #expect(session.takeOutput().count == 1000 + YamuxHeader.size)
        #expect(try session.send(bytes[...], on: stream) == 1000)
        #expect(session.sendCapacity(of: stream) == window - first - 1000)
    }

    @Test func theWindowOpensOnlyForWhomItWasClosed() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        _ = try pair.dialer.send([1], on: stream)
        #expect(pair.dialer.receive(frame(.windowUpdate, length: 5)[...], now: pair.now) == [])
        #expect(pair.dialer.sendCapacity(of: stream) == window + 4)
    }
}
