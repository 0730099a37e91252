import Testing

@testable import PushNodeServer

@Suite struct DueSendersTests {
    private func time(_ milliseconds: Int64) -> NodeTime { NodeTime(milliseconds: milliseconds) }
    private func sender(_ number: Int64) -> SenderTag { SenderTag(rawValue: number) }

    @Test func thoseThatAreDueTakeTurns() {
        var due = DueSenders()
        due.add(sender(1), at: time(5))
        due.add(sender(2), at: time(10))
        due.add(sender(3), at: time(30))
        #expect(due.earliest() == time(5))
        var turns: [Int64] = []
        for _ in 0..<4 {
            guard let next = due.next(now: time(20)) else { break }
            turns.append(next.rawValue)
            due.put(next, next: time(5), now: time(20))
        }
        #expect(turns == [1, 2, 1, 2])
    }

    @Test func whatIsNotedDuringATurnIsNotLost() {
        var due = DueSenders()
        due.add(sender(1), at: time(5))
        let turn = due.next(now: time(5))
        #expect(turn == sender(1) && due.earliest() == nil)
        due.add(sender(1), at: time(50))
        due.put(sender(1), next: nil, now: time(5))
        #expect(due.earliest() == time(50))
        let again = due.next(now: time(49))
        #expect(again == nil)
    }

    @Test func aClockThatSteppedBackLosesNobody() {
        var due = DueSenders()
        due.add(sender(1), at: time(100))
        let turn = due.next(now: time(100))
        #expect(turn == sender(1))
        due.put(sender(1), next: time(100), now: time(40))
        #expect(due.earliest() == time(100))
    }

    @Test(arguments: 0..<10)
    func itDoesWhatAPlainModelDoes(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var due = DueSenders()
        var model: [Int64: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<3000 {
            let id = Int64(random.next() % 40)
            if random.next() % 3 != 0 {
                let at = now + Int64(random.next() % 100)
                due.add(sender(id), at: time(at))
                model[id] = min(model[id] ?? at, at)
            } else {
                now += Int64(random.next() % 20)
                while let next = due.next(now: time(now)) {
                    // It may have had its turn only if it was due, and everybody that is due has one.
                    #expect(model[next.rawValue].map { $0 <= now } == true)
                    model[next.rawValue] = nil
                    due.put(next, next: nil, now: time(now))
                }
                #expect(!model.values.contains { $0 <= now })
            }
            #expect(due.earliest()?.milliseconds == model.values.min())
        }
    }
}
