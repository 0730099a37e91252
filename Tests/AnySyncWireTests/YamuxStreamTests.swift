import AnySyncWire
import Testing

@Suite struct YamuxStreamTests {
    @Test func aStreamCarriesBytesBothWaysAndEnds() throws {
        var pair = YamuxPair()
        let stream = try pair.dialer.open(now: pair.now)
        #expect(stream == 1)
        #expect(try pair.dialer.send([1, 2, 3], on: stream) == 3)
        #expect(pair.toListener() == [.streamOpened(1), .data(stream: 1, [1, 2, 3])])
        pair.listener.accept(stream)
        #expect(try pair.listener.send([4], on: stream) == 1)
        #expect(pair.toDialer() == [.data(stream: 1, [4])])
        pair.dialer.finish(stream, now: pair.now)
        #expect(pair.toListener() == [.peerFinished(stream: 1)])
        #expect(try pair.listener.send([5], on: stream) == 1)
        pair.listener.finish(stream, now: pair.now)
        #expect(!pair.listener.isOpen(stream))
        #expect(pair.toDialer() == [.data(stream: 1, [5]), .peerFinished(stream: 1), .streamClosed(1)])
        #expect(pair.dialer.streamCount == 0)
        #expect(pair.listener.streamCount == 0)
    }

    @Test func dialersOpenOddStreamsAndListenersEven() throws {
        var pair = YamuxPair()
        #expect(try pair.dialer.open(now: pair.now) == 1)
        #expect(try pair.dialer.open(now: pair.now) == 3)
        pair.toListener()
        #expect(try pair.listener.open(now: pair.now) == 2)
        #expect(try pair.listener.open(now: pair.now) == 4)
        #expect(pair.toDialer() == [.streamOpened(2), .streamOpened(4)])
    }

    @Test func anIdThatThePeerTookIsNotOpenedAgain() throws {
        var session = YamuxSession(role: .dialer, now: .zero)
        _ = session.receive(frame(.windowUpdate, .syn, stream: 1)[...], now: .zero)
        #expect(try session.open(now: .zero) == 3)
    }

    @Test func theDialerWritesAheadOfTheAck() throws {
        var session = YamuxSession(role: .dialer, now: .zero)
        let stream = try session.open(now: .zero)
        _ = try session.send([7], on: stream)
        #expect(session.takeOutput() == frame(.windowUpdate, .syn) + frame(.data, data: [7]))
        #expect(session.takeOutput() == [])
    }

    @Test func theListenerIsSilentUntilTheDialersFirstByte() throws {
        var session = YamuxSession(role: .listener, now: .zero)
        let stream = try session.open(now: .zero)
        _ = try session.send([7], on: stream)
        session.goAway()
        #expect(session.takeOutput() == [])
        #expect(session.pendingOutput > 0)
        #expect(session.receive([0], now: .zero) == [])
        #expect(
            session.takeOutput() == frame(.windowUpdate, .syn, stream: stream)
                + frame(.data, stream: stream, data: [7]) + frame(.goAway, stream: 0))
        // It does not ping either.
        var other = YamuxSession(role: .listener, now: .zero)
        #expect(other.tick(now: .zero.advanced(by: .seconds(31))) == [])
        #expect(other.pendingOutput == 0)
    }

    @Test func anAckIsSentOnceAndOnlyAsLongAsItMatters() {
        var (session, _) = listener(frame(.windowUpdate, .syn))
        session.accept(1)
        session.accept(1)
        session.accept(9)
        #expect(session.takeOutput() == frame(.windowUpdate, .ack))
        // A reference listener sends none when FIN came first.
        (session, _) = listener(frame(.windowUpdate, [.syn, .fin]))
        session.accept(1)
        #expect(session.takeOutput() == [])
    }

    @Test func writingToAStreamTakesIt() throws {
        var (session, _) = listener(frame(.windowUpdate, .syn))
        _ = try session.send([1], on: 1)
        #expect(session.takeOutput() == frame(.windowUpdate, .ack) + frame(.data, data: [1]))
    }

    @Test func aFinOnDataComesAfterTheData() {
        let bytes = frame(.data, [.syn, .fin], data: [1, 2])
        #expect(listener(bytes).events == [.streamOpened(1), .data(stream: 1, [1, 2]), .peerFinished(stream: 1)])
    }

    @Test func aResetEndsTheStreamAtOnce() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        _ = try pair.dialer.send([1, 2], on: stream)
        pair.listener.reset(stream)
        pair.listener.reset(stream)
        #expect(pair.toDialer() == [.streamReset(stream: 1, .byPeer)])
        #expect(throws: YamuxCommandError.noSuchStream(1)) { try pair.dialer.send([1], on: stream) }
        #expect(pair.toListener() == [])
        #expect(pair.listener.closure == nil)
    }

    @Test func dataOfAStreamResetHalfWayIsPassedOver() throws {
        var (session, _) = listener(frame(.windowUpdate, .syn))
        let bytes = frame(.data, .fin, data: [1, 2, 3, 4])
        #expect(session.receive(bytes.prefix(14), now: .zero) == [.data(stream: 1, [1, 2])])
        session.reset(1)
        #expect(session.receive(bytes[14...] + frame(.windowUpdate, .syn), now: .zero) == [.streamOpened(1)])
    }

    @Test func dataOfAStreamThatIsGoneNeverReachesItsSuccessor() throws {
        // The peer took the id that we open next, and abandoned it in the middle of a frame of its own.
        var session = YamuxSession(role: .dialer, now: .zero)
        let bytes = frame(.data, [.syn, .rst], data: [1, 2, 3, 4])
        #expect(session.receive(bytes.prefix(14), now: .zero) == [.streamOpened(1), .streamReset(stream: 1, .byPeer)])
        #expect(try session.open(now: .zero) == 1)
        #expect(session.receive(bytes[14...], now: .zero) == [])
    }

    @Test func aFinishedStreamIsNotWrittenTo() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        pair.dialer.finish(stream, now: pair.now)
        pair.dialer.finish(stream, now: pair.now)
        #expect(pair.dialer.takeOutput() == frame(.windowUpdate, .fin))
        #expect(throws: YamuxCommandError.alreadyFinished(1)) { try pair.dialer.send([1], on: stream) }
        #expect(pair.dialer.sendCapacity(of: stream) == 0)
    }

    @Test func afterGoingAwayOpenStreamsGoOnAndNewOnesAreRefused() throws {
        var pair = YamuxPair()
        let stream = try pair.openStream()
        pair.listener.goAway()
        pair.listener.goAway()
        #expect(throws: YamuxCommandError.goneAway) { try pair.listener.open(now: pair.now) }
        let late = try pair.dialer.open(now: pair.now)
        _ = try pair.dialer.send([1], on: stream)
        #expect(pair.toDialer() == [.peerWentAway])
        #expect(throws: YamuxCommandError.goneAway) { try pair.dialer.open(now: pair.now) }
        #expect(pair.toListener() == [.data(stream: 1, [1])])
        #expect(pair.toDialer() == [.streamReset(stream: late, .byPeer)])
        #expect(pair.dialer.closure == nil)
    }

    @Test func aClosedSessionDoesNothingAnyMore() throws {
        var (session, _) = listener(frame(.windowUpdate, .syn) + [1])
        let more = session.receive([UInt8](repeating: 1, count: 11)[...], now: .zero)
        #expect(more == [.sessionClosed(.wrongVersion(1))])
        #expect(session.nextDeadline == nil)
        #expect(session.receive(frame(.ping, .syn)[...], now: .zero) == [])
        #expect(session.tick(now: .zero.advanced(by: .seconds(1000))) == [])
        session.accept(1)
        session.finish(1, now: .zero)
        session.reset(1)
        session.consumed(1, on: 1)
        session.goAway()
        #expect(throws: YamuxCommandError.sessionClosed) { try session.open(now: .zero) }
        #expect(throws: YamuxCommandError.sessionClosed) { try session.send([1], on: 1) }
        #expect(session.takeOutput() == [])
    }
}
