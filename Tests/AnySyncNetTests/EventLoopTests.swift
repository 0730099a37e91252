import AnySyncWire
import Synchronization
import Testing

@testable import AnySyncNet

@Suite struct EventLoopTests {
    actor Pinned {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        var count = 0

        init(_ loop: EventLoop) { self.loop = loop }

        func increment() { count += 1 }
        func isOnLoop() -> Bool { loop.isOnLoop }

        func hop(to other: Pinned, times: Int) async {
            for _ in 0..<times { await other.increment() }
        }

        nonisolated func incrementSynchronously() {
            assumeIsolated { $0.count += 1 }
        }
    }

    @Test func pinnedActorsRunOnTheLoop() async throws {
        let loop = try EventLoop()
        let first = Pinned(loop)
        let second = Pinned(loop)
        #expect(await first.isOnLoop())
        await first.hop(to: second, times: 1000)
        #expect(await second.count == 1000)
        #expect(!loop.isOnLoop)
        await loop.shutdown()
    }

    @Test func callbacksOfTheLoopAreIsolatedToItsActors() async throws {
        let loop = try EventLoop()
        let actor = Pinned(loop)
        await loop.onLoop { actor.incrementSynchronously() }
        #expect(await actor.count == 1)
        await loop.shutdown()
    }

    @Test func manyThreadsMayEnqueue() async throws {
        let loop = try EventLoop()
        let actor = Pinned(loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    for _ in 0..<200 { await actor.increment() }
                }
            }
        }
        #expect(await actor.count == 10_000)
        await loop.shutdown()
    }

    @Test func timersFireInOrderAndCancelledOnesDoNot() async throws {
        let loop = try EventLoop()
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            loop.execute {
                let cancelled = loop.schedule(after: .milliseconds(1)) { order.withLock { $0.append(0) } }
                _ = loop.schedule(after: .milliseconds(6)) {
                    order.withLock { $0.append(3) }
                    continuation.resume()
                }
                _ = loop.schedule(after: .milliseconds(2)) { order.withLock { $0.append(1) } }
                _ = loop.schedule(after: .milliseconds(4)) { order.withLock { $0.append(2) } }
                cancelled.cancel()
            }
        }
        #expect(order.withLock { $0 } == [1, 2, 3])
        await loop.shutdown()
    }

    @Test func virtualTimeRunsTimersStepByStep() async throws {
        let clock = ManualClock()
        let loop = try EventLoop(clock: clock)
        let times = Mutex<[MonotonicTime]>([])
        await loop.onLoop {
            _ = loop.schedule(after: .seconds(30)) {
                times.withLock { $0.append(loop.now()) }
                _ = loop.schedule(after: .seconds(10)) { times.withLock { $0.append(loop.now()) } }
            }
        }
        await clock.advance(by: .seconds(29), on: loop)
        #expect(times.withLock { $0 }.isEmpty)
        await clock.advance(by: .seconds(11), on: loop)
        #expect(times.withLock { $0 } == [30, 40].map { MonotonicTime.zero.advanced(by: .seconds($0)) })
        await loop.shutdown()
    }

    @Test func timerQueueKeepsOrderUnderCancellation() {
        let queue = TimerQueue()
        var fired: [Int] = []
        var timers: [LoopTimer] = []
        var generator = SystemRandomNumberGenerator()
        let delays = (0..<500).map { _ in UInt64.random(in: 0..<1000, using: &generator) }
        for delay in delays {
            timers.append(queue.schedule(at: MonotonicTime(nanoseconds: delay)) { fired.append(Int(delay)) })
        }
        var expected: [Int] = []
        for (index, delay) in delays.enumerated() {
            if index.isMultiple(of: 3) { timers[index].cancel() } else { expected.append(Int(delay)) }
        }
        queue.run(until: MonotonicTime(nanoseconds: 1000))
        #expect(fired == expected.sorted())
        #expect(queue.first == nil)
    }

    @Test func jobsAfterShutdownStillRun() async throws {
        let loop = try EventLoop()
        let actor = Pinned(loop)
        await loop.shutdown()
        await loop.shutdown()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<20 { await actor.increment() } }
            }
        }
        #expect(await actor.count == 400)
        #expect(await actor.isOnLoop())
    }

    @Test func shutdownFromAnActorOfTheLoop() async throws {
        actor Owner {
            nonisolated let loop: EventLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            init(_ loop: EventLoop) { self.loop = loop }
            func stop() async { await loop.shutdown() }
        }
        let loop = try EventLoop()
        await Owner(loop).stop()
    }
}
