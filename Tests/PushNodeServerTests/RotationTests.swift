import Testing

@testable import PushNodeServer

@Suite struct RotationTests {
    @Test func groupsTakeTurnsAndEachKeepsItsOrder() {
        var queue = Rotation<String>()
        for number in 1...4 { queue.add(Int64(number), of: "a") }
        queue.add(10, of: "b")
        queue.add(11, of: "b")
        queue.add(20, of: "c")
        #expect(queue.count == 7)
        let drained = queue.drain()
        #expect(drained == [1, 10, 20, 2, 11, 3, 4])
        #expect(queue.count == 0)
        let last = queue.next()
        #expect(last == nil)
    }

    @Test func aNumberStaysUntilItIsTakenAway() {
        var queue = Rotation<String>()
        queue.add(1, of: "a")
        queue.add(2, of: "b")
        let turns = (0..<4).map { _ in queue.next()?.number }
        #expect(turns == [1, 2, 1, 2])
        queue.removeFirst(of: "a")
        let last = queue.next()
        #expect(last?.number == 2 && queue.count == 1)
    }

    @Test func whoeverComesLaterGetsATurnInTheNextRound() {
        var queue = Rotation<Int>()
        for number in 0..<1000 { queue.add(Int64(number), of: 0) }
        let first = queue.next()
        #expect(first?.group == 0)
        queue.add(5000, of: 1)
        let round = [queue.next(), queue.next()]
        #expect(round.contains { $0?.group == 1 })
    }

    @Test func aGroupThatWasEmptyComesBack() {
        var queue = Rotation<Int>()
        for round in 0..<100 {
            for group in 0..<3 { queue.add(Int64(round * 3 + group), of: group) }
            let drained = queue.drain()
            #expect(drained.count == 3)
        }
        queue.removeFirst(of: 0)
        #expect(queue.count == 0)
    }
}

extension Rotation {
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
