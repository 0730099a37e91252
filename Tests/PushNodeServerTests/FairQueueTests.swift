import Testing
@testable import PushNodeServer

@Suite struct FairQueueTests {
    @Test func groupsTakeTurnsAndEachKeepsItsOrder() {
        var queue = FairQueue<String>()
        for number in 1...4 { queue.add(Int64(number), of: "a") }
        queue.add(10, of: "b")
        queue.add(11, of: "b")
        queue.add(20, of: "c")
        #expect(queue.count == 7)
        let drained = queue.drain()
        #expect(drained == [1, 10, 20, 2, 11, 3, 4])
        #expect(queue.isEmpty)
        let last = queue.next()
        #expect(last == nil)
    }

    @Test func aNumberStaysUntilItIsTakenAway() {
        var queue = FairQueue<String>()
        queue.add(1, of: "a")
        queue.add(2, of: "b")
        let turns = (0..<4).map { _ in queue.next()?.number }
        #expect(turns == [1, 2, 1, 2])
        queue.removeFirst(of: "a")
        let last = queue.next()
        #expect(last?.number == 2 && queue.count == 1)
    }

    @Test func whoeverComesLaterGetsATurnInTheNextRound() {
        var queue = FairQueue<Int>()
        for number in 0..<1000 { queue.add(Int64(number), of: 0) }
        let first = queue.next()
        #expect(first?.group == 0)
        queue.add(5000, of: 1)
        let round = [queue.next(), queue.next()]
        #expect(round.contains { $0?.group == 1 })
    }

    @Test func aGroupThatWasEmptyComesBack() {
        var queue = FairQueue<Int>()
        for round in 0..<100 {
            for group in 0..<3 { queue.add(Int64(round * 3 + group), of: group) }
            let drained = queue.drain()
            #expect(drained.count == 3)
        }
        queue.removeFirst(of: 0)
        #expect(queue.count == 0)
    }

    @Test func theWaitGrowsUpToALimitAndIsSpread() {
        let backoff = Backoff()
        let seconds = (1...9).map { backoff.delay(after: $0, random: 0) }
        #expect(seconds == [10, 20, 40, 80, 160, 320, 600, 600, 600].map { Duration.seconds($0) })
        #expect(backoff.delay(after: 1, random: 500) == .seconds(15))
        #expect(backoff.delay(after: .max, random: .max) <= .seconds(900))
        #expect(backoff.delay(after: 0, random: 501) == .seconds(10))
    }
}

extension FairQueue {
    /// Takes everything, one number at each turn.
    fileprivate mutating func drain() -> [Int64] {
        var numbers: [Int64] = []
        while let (group, number) = next() {
            numbers.append(number)
            removeFirst(of: group)
        }
        return numbers
    }
}
