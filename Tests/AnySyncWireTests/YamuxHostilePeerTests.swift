import AnySyncWire
import TestSupport
import Testing

@Suite struct YamuxHostilePeerTests {
    private let open = frame(.windowUpdate, .syn)
    private let protocolError = frame(.goAway, stream: 0, length: 1)

    private func expectEnd(
        _ bytes: [UInt8], _ closure: YamuxClosure, saying output: [UInt8], limits: YamuxLimits = YamuxLimits(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var (session, events) = listener(bytes, limits: limits)
        #expect(events.last == .sessionClosed(closure), sourceLocation: sourceLocation)
        #expect(session.closure == closure, sourceLocation: sourceLocation)
        #expect(session.streamCount == 0, sourceLocation: sourceLocation)
        #expect(session.takeOutput().suffix(output.count) == output[...], sourceLocation: sourceLocation)
    }

    @Test func wrongVersionsAndTypesEndTheSessionWithoutAWord() {
        var (session, events) = listener([23, 3, 3, 0, 19, 1, 2, 3, 4, 5, 6, 7])
        #expect(events == [.sessionClosed(.wrongVersion(23))])
        #expect(session.takeOutput() == [])
        (session, events) = listener(frame(.init(rawValue: 4)))
        #expect(events == [.sessionClosed(.unknownFrameType(4))])
        #expect(session.takeOutput() == [])
    }

    @Test func aSecondSynEndsTheSession() {
        expectEnd(open + open, .streamIdInUse(1), saying: protocolError)
        expectEnd(frame(.windowUpdate, .syn, stream: 0), .streamIdInUse(0), saying: protocolError)
    }

    @Test func theReceiveWindowIsEnforced() {
        let window = YamuxLimits.initialWindow
        expectEnd(
            open + frame(.data, length: window + 1),
            .receiveWindowExceeded(stream: 1, length: window + 1, window: window), saying: protocolError)
        let full = frame(.data, data: [UInt8](repeating: 0, count: Int(window)))
        expectEnd(
            open + full + frame(.data, data: [1]), .receiveWindowExceeded(stream: 1, length: 1, window: 0),
            saying: protocolError)
    }

    @Test func dataOfAnUnknownStreamIsPassedOverWhateverItsLength() {
        var (session, events) = listener(frame(.data, stream: 9, length: 500_000))
        for _ in 0..<500 { events += session.receive([UInt8](repeating: 1, count: 1000)[...], now: .zero) }
        events += session.receive(open[...], now: .zero)
        #expect(events == [.streamOpened(1)])
    }

    @Test func finishingTwiceEndsTheSession() {
        let finished = frame(.windowUpdate, [.syn, .fin])
        expectEnd(finished + frame(.windowUpdate, .fin), .frameAfterFinish(stream: 1), saying: protocolError)
        expectEnd(finished + frame(.data, .fin), .frameAfterFinish(stream: 1), saying: protocolError)
    }

    @Test func dataAfterFinishingIsPassedOverWithinTheWindow() {
        let window = YamuxLimits.initialWindow
        let finished = frame(.windowUpdate, [.syn, .fin])
        let full = frame(.data, data: [UInt8](repeating: 0, count: Int(window)))
        #expect(listener(finished + full).events == [.streamOpened(1), .peerFinished(stream: 1)])
        expectEnd(
            finished + full + frame(.data, data: [1]),
            .receiveWindowExceeded(stream: 1, length: 1, window: 0), saying: protocolError)
    }

    @Test func goAwayWithAnyOtherCodeEndsTheSession() {
        for code: UInt32 in [1, 2, 9, .max] {
            var (session, events) = listener(open + frame(.goAway, stream: 0, length: code) + frame(.ping, .syn))
            #expect(events == [.streamOpened(1), .sessionClosed(.endedByPeer(code: code))])
            #expect(session.takeOutput() == [])
        }
    }

    @Test func streamsPastTheLimitAreReset() {
        var limits = YamuxLimits()
        limits.maximumIncomingStreams = 2
        let bytes = [1, 3, 5].flatMap { frame(.data, .syn, stream: $0, data: [1, 2]) }
        var (session, events) = listener(bytes, limits: limits)
        #expect(
            events == [
                .streamOpened(1), .data(stream: 1, [1, 2]), .streamOpened(3), .data(stream: 3, [1, 2]),
            ])
        #expect(session.takeOutput() == frame(.windowUpdate, .rst, stream: 5))
        session.reset(1)
        #expect(session.receive(frame(.windowUpdate, .syn, stream: 5)[...], now: .zero) == [.streamOpened(5)])
    }

    @Test func streamsPastTheBacklogAreResetUntilSomeAreTaken() {
        var limits = YamuxLimits()
        limits.acceptBacklog = 1
        var (session, events) = listener(open + frame(.windowUpdate, .syn, stream: 3), limits: limits)
        #expect(events == [.streamOpened(1)])
        #expect(session.takeOutput() == frame(.windowUpdate, .rst, stream: 3))
        session.accept(1)
        #expect(session.receive(frame(.windowUpdate, .syn, stream: 5)[...], now: .zero) == [.streamOpened(5)])
        // One that its opener gives up makes room too.
        events = session.receive(
            (frame(.windowUpdate, .rst, stream: 5) + frame(.windowUpdate, .syn, stream: 7))[...], now: .zero)
        #expect(events == [.streamReset(stream: 5, .byPeer), .streamOpened(7)])
    }

    @Test func outgoingStreamsAreLimited() throws {
        var limits = YamuxLimits()
        limits.maximumOutgoingStreams = 1
        var session = YamuxSession(role: .dialer, limits: limits, now: .zero)
        _ = session.receive(frame(.windowUpdate, .syn, stream: 2)[...], now: .zero)
        let stream = try session.open(now: .zero)
        #expect(throws: YamuxCommandError.tooManyStreams(limit: 1)) { try session.open(now: .zero) }
        session.reset(stream)
        #expect(try session.open(now: .zero) == 3)
    }

    @Test func pingsThatNobodyReadsTheAnswersOfEndTheSession() {
        var limits = YamuxLimits()
        limits.maximumPendingOutput = 100
        limits.controlReserve = 20
        let ping = frame(.ping, .syn, stream: 0, length: 1)
        var session = YamuxSession(role: .listener, limits: limits, now: .zero)
        for _ in 0..<10 { #expect(session.receive(ping[...], now: .zero) == []) }
        #expect(session.receive(ping[...], now: .zero) == [.sessionClosed(.outputOverflow)])
        #expect(session.pendingOutput == 120)
    }

    @Test(arguments: [
        frame(.ping, .syn, stream: 0), frame(.ping, .ack, stream: 0), frame(.windowUpdate),
        frame(.windowUpdate, stream: 99, length: 5), frame(.data, stream: 99), frame(.goAway, stream: 0),
        frame(.windowUpdate, .syn, stream: 3) + frame(.windowUpdate, .rst, stream: 3),
    ])
    func framesThatCarryNothingMayNotFlood(_ idle: [UInt8]) {
        var limits = YamuxLimits()
        limits.maximumIdleFrames = 50
        var session = YamuxSession(role: .listener, limits: limits, now: .zero)
        _ = session.receive(open[...], now: .zero)
        // A pace that an honest peer keeps goes on for ever.
        for second in 0..<300 {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            _ = session.receive(idle[...], now: now)
            _ = session.takeOutput()
        }
        #expect(session.closure == nil)
        let now = MonotonicTime.zero.advanced(by: .seconds(400))
        for _ in 0..<60 {
            _ = session.receive(idle[...], now: now)
        }
        #expect(session.closure == .frameFlood)
        #expect(session.takeOutput().suffix(12) == protocolError[...])
    }

    @Test func anyBytesGiveTheSameEventsWhereverTheyAreCut() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            // Frames that are mostly plausible, so that the interesting ends are reached.
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let kind = YamuxHeader.Kind(rawValue: .random(in: 0...3, using: &random))
                let flags = YamuxHeader.Flags(rawValue: [0, 0, 1, 1, 2, 4, 5, 8].randomElement(using: &random) ?? 0)
                let stream = UInt32.random(in: 0...6, using: &random)
                let count = Int.random(in: 0...50, using: &random)
                switch kind {
                case .data: bytes += frame(kind, flags, stream: stream, data: random.bytes(count))
                default: bytes += frame(kind, flags, stream: stream, length: UInt32(count))
                }
            }
            var (whole, events) = listener(bytes)
            var cut = YamuxSession(role: .listener, now: .zero)
            var pieces: [YamuxEvent] = []
            for piece in random.pieces(bytes) { cut.receive(piece, now: .zero, into: &pieces) }
            #expect(joined(pieces) == joined(events))
            #expect(cut.takeOutput() == whole.takeOutput())
        }
    }

    @Test func aWholeConversationSurvivesAnyCutting() throws {
        for seed in 0..<10 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var pair = YamuxPair()
            var sent: [UInt32: [UInt8]] = [:]
            var received: [UInt32: [UInt8]] = [:]
            var unsent: [UInt32: ArraySlice<UInt8>] = [:]
            for _ in 0..<5 {
                let stream = try pair.dialer.open(now: pair.now)
                let bytes = random.bytes(Int.random(in: 0...400_000, using: &random) / 8)
                (sent[stream], unsent[stream]) = (bytes, bytes[...])
            }
            var finished: Set<UInt32> = []
            for _ in 0..<200 where finished.count < sent.count {
                for (stream, rest) in unsent.sorted(by: { $0.key < $1.key }) {
                    let count = try pair.dialer.send(rest.prefix(.random(in: 1...30_000, using: &random)), on: stream)
                    unsent[stream] = rest.dropFirst(count)
                    if rest.count == count {
                        pair.dialer.finish(stream, now: pair.now)
                        unsent[stream] = nil
                    }
                }
                for piece in random.pieces(pair.dialer.takeOutput(), longest: 5000) {
                    for event in pair.listener.receive(piece, now: pair.now) {
                        switch event {
                        case .streamOpened(let stream): pair.listener.accept(stream)
                        case .data(let stream, let bytes):
                            received[stream, default: []] += bytes
                            pair.listener.consumed(bytes.count, on: stream)
                        case .peerFinished(let stream):
                            finished.insert(stream)
                            pair.listener.finish(stream, now: pair.now)
                        default: Issue.record("unexpected \(event)")
                        }
                    }
                }
                pair.toDialer()
            }
            #expect(received == sent.filter { !$0.value.isEmpty })
            #expect(pair.dialer.streamCount == 0)
            #expect(pair.listener.streamCount == 0)
        }
    }
}
