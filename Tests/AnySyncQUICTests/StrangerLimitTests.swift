import AnySyncNet
import AnySyncWire
import CQUIC
import Testing

@testable import AnySyncQUIC

@Suite struct StrangerLimitTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime.zero.advanced(by: .milliseconds(milliseconds))
    }

    private func id(_ number: UInt8) -> ConnectionId {
        var raw = cquic_id()
        raw.count = 16
        raw.bytes.0 = number
        return ConnectionId(raw)
    }

    /// How many of so many are granted at one time.
    private func granted(_ bucket: inout TokenBucket, _ count: Int, at milliseconds: Int) -> Int {
        var granted = 0
        for _ in 0..<count where bucket.take(now: time(milliseconds)) { granted += 1 }
        return granted
    }

    /// How many of these addresses are granted something at the start.
    private func granted(_ buckets: inout AddressBuckets, _ hosts: [String], port: UInt16 = 1) throws -> Int {
        var granted = 0
        for host in hosts {
            let address = try #require(SocketAddress(ip: host, port: port))
            if buckets.take(address, now: time(0)) { granted += 1 }
        }
        return granted
    }

    @Test func bucketsFillAgain() {
        var bucket = TokenBucket(perSecond: 10, now: time(0))
        #expect(granted(&bucket, 30, at: 0) == 20)
        #expect(granted(&bucket, 1, at: 99) == 0)
        #expect(granted(&bucket, 2, at: 100) == 1)
        #expect(granted(&bucket, 100, at: 100_000) == 20)
    }

    @Test func addressesHaveTheirOwnBuckets() throws {
        var buckets = AddressBuckets(perSecond: 5, now: time(0))
        #expect(try granted(&buckets, Array(repeating: "192.0.2.1", count: 20)) == 10)
        #expect(try granted(&buckets, ["192.0.2.1"], port: 2) == 0)
        // Of a hundred others hardly one can share its bucket.
        #expect(try granted(&buckets, (2..<102).map { "192.0.2.\($0)" }) >= 97)
    }

    @Test func neighboursOfOneNetworkShareABucket() throws {
        var buckets = AddressBuckets(perSecond: 5, now: time(0))
        #expect(try granted(&buckets, (1...20).map { "2001:db8:0:1::\($0)" }) == 10)
    }

    @Test func farewellsAreToldMoreAndMoreRarely() {
        var closed = ClosedSessions()
        closed.add([1, 2, 3], for: [id(1), id(2)], until: time(1000), now: time(0))
        #expect(closed.contains(id(1)))
        #expect(!closed.contains(id(3)))
        var answers = 0
        for number in 1...16 where closed.answer(to: id(number % 2 == 0 ? 1 : 2), size: 100, now: time(1)) != nil {
            answers += 1
        }
        #expect(answers == 5)
        let stranger = closed.answer(to: id(3), size: 100, now: time(1))
        #expect(stranger == nil)
    }

    @Test func farewellsAreBoundedInSizeTimeAndNumber() {
        var closed = ClosedSessions()
        closed.add([UInt8](repeating: 0, count: 100), for: [id(1)], until: time(1000), now: time(0))
        let tooLarge = closed.answer(to: id(1), size: 33, now: time(1))
        let fitting = closed.answer(to: id(1), size: 34, now: time(1))
        #expect(tooLarge == nil && fitting != nil)
        closed.add([1], for: [id(2)], until: time(3000), now: time(1001))
        #expect(!closed.contains(id(1)))
        let late = closed.answer(to: id(2), size: 100, now: time(3001))
        #expect(late == nil)
        for _ in 0..<1100 { closed.add([1], for: [id(3)], until: time(9000), now: time(1001)) }
        #expect(!closed.contains(id(2)))
        #expect(closed.contains(id(3)))
    }
}
