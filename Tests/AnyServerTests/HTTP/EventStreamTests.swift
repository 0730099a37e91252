import Locks
import Testing

@testable import AnyServer

@Suite struct EventStreamTests {
    /// Everything a stream has now, as text.
    private func drain(_ stream: EventStream, piece: Int = 7) -> (text: String, isEnded: Bool) {
        var bytes: [UInt8] = []
        while true {
            switch stream.read(atMost: piece) {
            case .bytes(let some):
                #expect((1...piece).contains(some.count))
                bytes += some
            case .nothing: return (String(decoding: bytes, as: UTF8.self), false)
            case .end: return (String(decoding: bytes, as: UTF8.self), true)
            }
        }
    }

    private func change(_ number: Int) -> EventFrame { .changes([["versionId": .string("v\(number)")]]) }

    @Test func framesComeInTheContractsOrder() {
        let stream = EventStream()
        #expect(drain(stream) == ("event: ready\ndata: {}\n\n", false))
        stream.send(change(1))
        #expect(drain(stream) == ("", false))
        stream.begin(.snapshot(["records": [["a": "line\nbreak"]], "total": 1]))
        stream.send(change(2))
        #expect(
            drain(stream).text == """
                event: snapshot\ndata: {"records":[{"a":"line\\nbreak"}],"total":1}\n
                event: changes\ndata: [{"versionId":"v1"}]\n
                event: changes\ndata: [{"versionId":"v2"}]\n\n
                """)
        stream.close(.serverShutdown)
        #expect(!stream.send(change(3)))
        #expect(drain(stream) == ("event: closed\ndata: {\"reason\":\"server_shutdown\"}\n\n", true))
    }

    @Test(arguments: ClosedReason.allCases)
    func whatWaitsIsDeliveredUnlessTheSubscriberStartsOver(reason: ClosedReason) {
        let stream = EventStream()
        stream.begin(.snapshot([:]))
        stream.send(change(1))
        stream.close(reason)
        stream.close(.overflow)
        let text = drain(stream).text
        #expect(text.contains("v1") == reason.deliversRest)
        #expect(text.hasSuffix("event: closed\ndata: {\"reason\":\"\(reason.rawValue)\"}\n\n"))
    }

    @Test func aFullMailboxClosesItsStreamAndFreesIt() {
        let stream = EventStream(options: StreamOptions(mailboxCapacity: 16))
        stream.begin(.snapshot([:]))
        for number in 0..<16 { #expect(stream.send(change(number))) }
        #expect(!stream.send(change(16)))
        #expect(!stream.isOpen)
        #expect(
            drain(stream).text == """
                event: ready\ndata: {}\n
                event: snapshot\ndata: {}\n
                event: closed\ndata: {"reason":"overflow"}\n\n
                """)
    }

    @Test func aMailboxIsBoundedInBytesToo() {
        let stream = EventStream(options: StreamOptions(mailboxCapacity: 1000))
        let frame = EventFrame.changes([.string(String(repeating: "x", count: 1 << 20))])
        var sent = 0
        while stream.send(frame) { sent += 1 }
        #expect(sent == 3)
    }

    @Test func aWindowThatMovesTooFarClosesItsStream() {
        let stream = EventStream(windowSize: 10)
        stream.begin(.snapshot([:]))
        #expect(stream.send(change(1), drifting: 2))
        #expect(stream.send(change(2), drifting: 0))
        #expect(stream.send(change(3), drifting: 1))
        #expect(!stream.send(change(4), drifting: 1))
        // The change comes first.
        let text = drain(stream).text
        #expect(text.hasSuffix("event: closed\ndata: {\"reason\":\"drifted\"}\n\n"))
        #expect(text.ranges(of: "event: changes").count == 4)
        let unlimited = EventStream()
        #expect(unlimited.send(change(1), drifting: 1_000_000))
        for size in 1...3 {
            var small = DriftBudget(percent: 30, windowSize: size)
            let spends = [small.spend(1), small.spend(1)]
            #expect(spends == [true, false], "a window of \(size) may lose one")
        }
        var exact = DriftBudget(percent: 30, windowSize: 10)
        let spends = [exact.spend(3), exact.spend(1)]
        #expect(spends == [true, false])
        var none = DriftBudget(percent: 0, windowSize: 3)
        let isSpent = none.spend(1)
        #expect(!isSpent)
        var huge = DriftBudget(percent: 100, windowSize: .max)
        let spent = [huge.spend(.max), huge.spend(0), huge.spend(1)]
        #expect(spent == [true, true, false])
    }

    @Test func aReaderIsWokenOnceForWhatItWaitsFor() {
        let wakes = SystemLock(0)
        let stream = EventStream()
        // `ready` is there at once.
        stream.attach { wakes.withLock { $0 += 1 } }
        #expect(wakes.withLock { $0 } == 1)
        _ = drain(stream)
        stream.send(change(1))
        #expect(wakes.withLock { $0 } == 1)
        stream.begin(.snapshot([:]))
        stream.send(change(2))
        #expect(wakes.withLock { $0 } == 2)
        _ = drain(stream)
        stream.keepalive()
        stream.keepalive()
        #expect(wakes.withLock { $0 } == 3)
        #expect(drain(stream).text == ": keepalive\n\n")
    }

    @Test func aKeepaliveIsForIdleStreamsOnly() {
        let stream = EventStream()
        stream.begin(.snapshot([:]))
        stream.send(change(1))
        stream.keepalive()
        #expect(!drain(stream).text.contains("keepalive"))
        // Changes that wait for a snapshot are nothing to send.
        let opening = EventStream()
        _ = drain(opening)
        opening.send(change(1))
        opening.keepalive()
        #expect(drain(opening).text == ": keepalive\n\n")
    }

    @Test func theEndIsToldOnce() {
        let ends = SystemLock(0)
        let stream = EventStream()
        stream.onEnd { ends.withLock { $0 += 1 } }
        stream.end()
        stream.end()
        #expect(ends.withLock { $0 } == 1)
        stream.onEnd { ends.withLock { $0 += 1 } }
        #expect(ends.withLock { $0 } == 2)
        #expect(!stream.send(change(1)))
        #expect(drain(stream) == ("", true))
    }

    @Test func optionsStayInTheirBounds() {
        #expect(StreamOptions() == StreamOptions(mailboxCapacity: 256, driftBudgetPercent: 30))
        #expect(StreamOptions(mailboxCapacity: 0).mailboxCapacity == 16)
        #expect(StreamOptions(mailboxCapacity: .max, driftBudgetPercent: 200).driftBudgetPercent == 100)
        #expect(StreamOptions(["mailboxCapacity": 17]).mailboxCapacity == 17)
    }

    @Test func aMailboxIsAQueue() {
        var mailbox = Mailbox(capacity: 40, byteCapacity: 1 << 20)
        var next = 0
        var expected = 0
        for round in 0..<50 {
            while mailbox.add(change(next)) { next += 1 }
            #expect(mailbox.count == 40)
            for _ in 0...(round % 40) {
                let frame = mailbox.next()
                #expect(frame == change(expected))
                expected += 1
            }
        }
        while let frame = mailbox.next() {
            #expect(frame == change(expected))
            expected += 1
        }
        #expect(expected == next && mailbox.isEmpty && mailbox.byteCount == 0)
    }
}
