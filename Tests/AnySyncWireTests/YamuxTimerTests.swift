import AnySyncWire
import Testing

@Suite struct YamuxTimerTests {
    private func at(_ seconds: Double) -> MonotonicTime {
        .zero.advanced(by: .seconds(seconds))
    }

    @Test func aPingGoesOutEvery30Seconds() {
        var session = YamuxSession(role: .dialer, now: .zero)
        for value in 0..<3 as Range<UInt32> {
            let due = at(30 * Double(value + 1))
            #expect(session.nextDeadline == due)
            #expect(session.tick(now: due.advanced(by: .nanoseconds(-1))) == [])
            #expect(session.takeOutput() == [])
            #expect(session.tick(now: due) == [])
            #expect(session.takeOutput() == frame(.ping, .syn, stream: 0, length: value))
            #expect(session.nextDeadline == due.advanced(by: .seconds(10)))
            let answer = frame(.ping, .ack, stream: 0, length: value)
            #expect(session.receive(answer[...], now: due) == [])
        }
    }

    @Test func anUnansweredPingEndsTheSession() {
        var session = YamuxSession(role: .dialer, now: .zero)
        _ = session.tick(now: at(30))
        // Other traffic and the wrong answer are no answer.
        _ = session.receive(frame(.ping, .ack, stream: 0, length: 9)[...], now: at(35))
        _ = session.receive(frame(.ping, .syn, stream: 0, length: 0)[...], now: at(35))
        #expect(session.tick(now: at(39.9)) == [])
        #expect(session.tick(now: at(40)) == [.sessionClosed(.pingTimeout)])
        #expect(session.closure == .pingTimeout)
    }

    @Test func anUnfinishedStreamIsResetAfter10Seconds() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        pair.now = at(1)
        pair.dialer.finish(stream, now: pair.now)
        pair.toListener()
        #expect(pair.dialer.nextDeadline == at(10))
        #expect(pair.dialer.tick(now: at(10)) == [])
        #expect(pair.dialer.nextDeadline == at(11))
        #expect(pair.dialer.tick(now: at(11)) == [.streamReset(stream: stream, .closeTimeout)])
        #expect(pair.toListener() == [.streamReset(stream: stream, .byPeer)])
        // The side that was not finished waits for its owner, as long as that takes.
        #expect(pair.listener.nextDeadline == at(30))
    }

    @Test func aStreamFinishedInTimeIsNotReset() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        pair.dialer.finish(stream, now: pair.now)
        pair.toListener()
        pair.listener.finish(stream, now: pair.now)
        pair.toDialer()
        #expect(pair.dialer.tick(now: at(11)) == [])
        #expect(pair.dialer.takeOutput() == [])
        #expect(pair.dialer.nextDeadline == at(30))
    }

    @Test func aStreamThatIsNotAcceptedIn10SecondsEndsTheSession() throws {
        var session = YamuxSession(role: .dialer, now: .zero)
        let stream = try session.open(now: at(5))
        #expect(session.nextDeadline == at(15))
        #expect(session.tick(now: at(15)) == [.sessionClosed(.acceptTimeout(stream: stream))])
    }

    @Test func anyFrameOfAStreamShowsThatItWasAccepted() throws {
        let answers = [frame(.windowUpdate, .ack), frame(.data, data: [1]), frame(.windowUpdate, .fin)]
        for answer in answers {
            var session = YamuxSession(role: .dialer, now: .zero)
            _ = try session.open(now: .zero)
            _ = session.receive(answer[...], now: at(9))
            #expect(session.tick(now: at(10)) == [])
            #expect(session.closure == nil)
        }
    }

    @Test func aStreamFinishedBeforeItsAckIsOnlyReset() throws {
        // A reference listener that was told FIN first never sends an ACK.
        var session = YamuxSession(role: .dialer, now: .zero)
        let stream = try session.open(now: .zero)
        session.finish(stream, now: at(1))
        _ = session.receive(frame(.data, data: [1])[...], now: at(2))
        #expect(session.tick(now: at(10)) == [])
        #expect(session.tick(now: at(11)) == [.streamReset(stream: stream, .closeTimeout)])
        #expect(session.closure == nil)
    }

    @Test func aListenerGivesUpADialerThatNeverSpeaks() {
        var session = YamuxSession(role: .listener, now: .zero)
        #expect(session.nextDeadline == at(40))
        #expect(session.tick(now: at(39)) == [])
        #expect(session.tick(now: at(40)) == [.sessionClosed(.silentPeer)])
        #expect(session.takeOutput() == [])
    }

    @Test func aListenersPingsStartWithTheDialersFirstByte() {
        var session = YamuxSession(role: .listener, now: .zero)
        _ = session.receive([0], now: at(20))
        #expect(session.nextDeadline == at(50))
        #expect(session.tick(now: at(50)) == [])
        #expect(session.takeOutput() == frame(.ping, .syn, stream: 0, length: 0))
    }

    @Test func aClockThatJumpsSendsOnePing() {
        var session = YamuxSession(role: .dialer, now: .zero)
        #expect(session.tick(now: at(1000)) == [])
        #expect(session.takeOutput() == frame(.ping, .syn, stream: 0, length: 0))
        #expect(session.tick(now: at(1001)) == [])
        #expect(session.takeOutput() == [])
    }

    @Test func manyStreamsExpireEachInItsTime() throws {
        var pair = YamuxPair()
        var streams: [UInt32] = []
        for second in 0..<8 {
            pair.now = at(Double(second))
            let stream = try pair.openStream()
            pair.dialer.finish(stream, now: pair.now)
            streams.append(stream)
        }
        var expired: [YamuxEvent] = []
        for second in 8..<20 {
            let events = pair.dialer.tick(now: at(Double(second)))
            #expect(events.count == (second >= 10 && second < 18 ? 1 : 0))
            expired += events
        }
        #expect(expired == streams.map { .streamReset(stream: $0, .closeTimeout) })
    }
}
