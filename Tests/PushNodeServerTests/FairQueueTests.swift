import Testing

@testable import PushNodeServer

@Suite struct FairQueueTests {
    @Test func sendersTakeTurnsHoweverManySpacesTheyHave() {
        var queue = FairQueue<String, Int>(quantum: 1)
        for space in 0..<3000 { queue.add(Int64(space), of: "flood", in: space) }
        for number in 10_000..<10_010 { queue.add(Int64(number), of: "honest", in: 0) }
        let drained = queue.drain { _ in 1 }
        let places = drained.indices.filter { drained[$0].sender == "honest" }
        #expect(drained.count == 3010 && places.count == 10)
        #expect(places.last.map { $0 <= 20 } == true)
        #expect(queue.isEmpty && queue.next() == nil)
    }

    @Test func spacesOfASenderTakeTurnsWithinItsOwn() {
        var queue = FairQueue<String, String>(quantum: 1)
        for number in 1...3 { queue.add(Int64(number), of: "a", in: "x") }
        queue.add(10, of: "a", in: "y")
        let drained = queue.drain { _ in 1 }
        #expect(drained.map(\.number) == [1, 10, 2, 3])
    }

    @Test func workIsSharedAndNotTheNumberOfSteps() {
        var queue = FairQueue<String, Int>(quantum: 256)
        for number in 0..<100 { queue.add(Int64(number), of: "large", in: number) }
        for number in 0..<1000 { queue.add(Int64(number), of: "small", in: 0) }
        // While both have something, each has its half of the work.
        var cost = ["large": 0, "small": 0]
        for _ in 0..<600 {
            guard let step = queue.next() else { break }
            let taken = step.sender == "large" ? 256 : 2
            cost[step.sender, default: 0] += taken
            queue.end(step, cost: taken, isDone: true)
        }
        #expect(abs(cost["large", default: 0] - cost["small", default: 0]) <= 2 * 256)
    }

    @Test func comingBackDoesNotClearADebt() {
        var queue = FairQueue<String, Int>(quantum: 10)
        for number in 0..<1000 { queue.add(Int64(number), of: "steady", in: 0) }
        var cost = ["steady": 0, "bursts": 0]
        var isWaiting = false
        for _ in 0..<500 {
            // It has one step at a time, which takes as much as three rounds.
            if !isWaiting { queue.add(0, of: "bursts", in: 0) }
            isWaiting = true
            guard let step = queue.next() else { break }
            let taken = step.sender == "bursts" ? 30 : 1
            if step.sender == "bursts" { isWaiting = false }
            cost[step.sender, default: 0] += taken
            queue.end(step, cost: taken, isDone: true)
        }
        #expect(cost["bursts", default: 0] <= cost["steady", default: 0] + 30)
    }

    @Test func aStepThatFailsStandsAsideForOtherSenders() {
        var queue = FairQueue<String, Int>(quantum: 4)
        queue.add(1, of: "broken", in: 0)
        queue.add(2, of: "whole", in: 0)
        let failed = queue.next()
        #expect(failed?.number == 1)
        let other = queue.next()
        #expect(other?.number == 2)
        if let other { queue.end(other, cost: 1, isDone: true) }
        let again = queue.next()
        #expect(again?.number == 1 && queue.count == 1)
    }

    @Test(arguments: 0..<20)
    func itDoesWhatAPlainModelDoes(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var queue = FairQueue<Int, Int>(quantum: 8)
        var model = PlainQueue(quantum: 8)
        var number: Int64 = 0
        for _ in 0..<2000 {
            if random.next() % 2 == 0 {
                let (sender, space) = (Int(random.next() % 5), Int(random.next() % 4))
                queue.add(number, of: sender, in: space)
                model.add(number, sender, space)
                number += 1
                continue
            }
            let step = queue.next()
            let expected = model.next()
            #expect(step?.number == expected?.number && queue.count == model.count)
            guard let step, let expected, random.next() % 10 != 0 else { continue }
            let (cost, isDone) = (Int(random.next() % 20), random.next() % 3 != 0)
            queue.end(step, cost: cost, isDone: isDone)
            model.end(expected, cost: cost, isDone: isDone)
        }
    }
}

extension FairQueue {
    /// Takes everything, at a cost for each step.
    fileprivate mutating func drain(_ cost: (Step) -> Int) -> [Step] {
        var steps: [Step] = []
        while let step = next() {
            steps.append(step)
            end(step, cost: cost(step), isDone: true)
        }
        return steps
    }
}

/// The same rules over plain lists, searched from end to end.
private struct PlainQueue {
    typealias Entry = (sender: Int, space: Int, number: Int64)

    let quantum: Int
    private var senders: [(id: Int, credit: Int, spaces: [(id: Int, numbers: [Int64])])] = []
    private var isUnderWay = false

    init(quantum: Int) { self.quantum = quantum }

    var count: Int { senders.flatMap(\.spaces).flatMap(\.numbers).count }

    mutating func add(_ number: Int64, _ sender: Int, _ space: Int) {
        if !senders.contains(where: { $0.id == sender }) { senders.append((sender, quantum, [])) }
        guard let index = senders.firstIndex(where: { $0.id == sender }) else { return }
        if let known = senders[index].spaces.firstIndex(where: { $0.id == space }) {
            senders[index].spaces[known].numbers.append(number)
        } else {
            senders[index].spaces.append((space, [number]))
        }
    }

    mutating func next() -> Entry? {
        while !senders.isEmpty {
            if senders[0].credit <= 0 {
                var sender = senders.removeFirst()
                sender.credit += quantum
                senders.append(sender)
                continue
            }
            while let space = senders[0].spaces.first, space.numbers.isEmpty { senders[0].spaces.removeFirst() }
            guard !senders[0].spaces.isEmpty else {
                senders.removeFirst()
                continue
            }
            let space = senders[0].spaces.removeFirst()
            senders[0].spaces.append(space)
            senders[0].credit -= quantum
            return (senders[0].id, space.id, space.numbers[0])
        }
        return nil
    }

    mutating func end(_ entry: Entry, cost: Int, isDone: Bool) {
        guard let index = senders.firstIndex(where: { $0.id == entry.sender }) else { return }
        senders[index].credit += quantum - max(cost, 1)
        guard isDone, let space = senders[index].spaces.firstIndex(where: { $0.id == entry.space }) else { return }
        senders[index].spaces[space].numbers.removeFirst()
    }
}
