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

    @Test func placesAreHandedOnInOrder() async {
        let gate = CallGate(maximumCalls: 1, maximumBytes: 10)
        #expect(await gate.enter())
        let cancelled = Task { await gate.enter() }
        let waiting = Task { await gate.enter() }
        cancelled.cancel()
        #expect(await !cancelled.value)
        gate.leave()
        #expect(await waiting.value)
        #expect(gate.runningCalls == 1)
        gate.leave()
        #expect(gate.runningCalls == 0)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await gate.enter()
        }
        #expect(await late.value)
        gate.leave()
    }

    @Test func bytesAreBounded() {
        let gate = CallGate(maximumCalls: 1, maximumBytes: 10)
        #expect(gate.hold(10))
        #expect(!gate.hold(1))
        gate.release(4)
        #expect(gate.hold(4))
        gate.release(10)
        #expect(gate.heldByteCount == 0)
    }
}
