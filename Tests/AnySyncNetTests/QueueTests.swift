import Testing

@testable import AnySyncNet

@Suite struct QueueTests {
    @Test func firstInIsFirstOut() {
        var queue = FIFO<Int>()
        var expected: [Int] = []
        var next = 0
        for round in 0..<300 {
            for _ in 0..<(round % 5) {
                queue.append(next)
                expected.append(next)
                next += 1
            }
            #expect(queue.count == expected.count)
            guard round % 3 != 0, !expected.isEmpty else { continue }
            #expect(queue.popFirst() == expected.removeFirst())
        }
        #expect(queue.removeFirst { $0 == expected[3] } == expected.remove(at: 3))
        #expect(queue.removeFirst { $0 == -1 } == nil)
        #expect(queue.removeAll() == expected)
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
    }
}
