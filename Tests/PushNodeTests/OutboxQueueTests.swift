import Locks
import PushAPI
import PushNode
import TestSupport
import Testing

/// The queue between a host's outbox and a node.
@Suite(.timeLimit(.minutes(5))) struct OutboxQueueTests {
    @Test func whatIsWrittenIsSentOnceInOrderAndForgotten() async {
        let bench = Bench()
        let queue = bench.queue()
        queue.start()
        for number in 1...20 {
            bench.outbox.write(.numbered("a", number))
            queue.outboxChanged()
        }
        #expect(await queue.drain(timeout: .seconds(1)))
        #expect(bench.sender.log == (1...20).map { "a\($0)" })
        #expect(bench.outbox.waiting == [] && bench.outbox.lost == [])
        let status = await queue.status
        #expect(status.sent == 20 && status.depth == 0 && status.losses == nil)
        await queue.shutdown()
    }

    /// More than one look brings, in more chats than are sent to at once; nothing is too much.
    @Test func aBurstOfManyChatsIsSentWhole() async {
        let bench = Bench()
        bench.limits.withLock { $0.parallelChats = 4 }
        for number in 0..<1000 { bench.outbox.write(.numbered("c\(number % 50)-", number)) }
        let queue = bench.queue()
        queue.start()
        #expect(await queue.drain(timeout: .seconds(1)))
        #expect(Set(bench.sender.log).count == 1000 && bench.sender.log.count == 1000)
        for chat in 0..<50 {
            let sent = bench.sender.log.filter { $0.hasPrefix("c\(chat)-") }
            #expect(sent == (0..<20).map { "c\(chat)-\(chat + $0 * 50)" })
        }
        #expect(bench.sender.mostAtOnce <= 4)
        #expect(bench.outbox.waiting == [] && bench.outbox.largest == 256)
        #expect(await queue.status.dropped == 0)
        await queue.shutdown()
    }

    @Test func theTriesThatAreLeftAreMadeAfterARestart() async {
        let bench = Bench()
        bench.sender.fail(with: .unreachable(reason: "down"))
        bench.outbox.write(.numbered("a", 1))
        bench.outbox.write(.numbered("a", 2))
        let first = bench.queue()
        first.start()
        await eventually { bench.outbox.waiting == ["a1/1", "a2/1"] }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(10))
        await eventually { bench.outbox.waiting == ["a1/2", "a2/2"] }
        await first.shutdown()
        #expect(await first.status.kept == 2)
        #expect(await first.status.abandoned == 0)
        bench.outbox.age(by: .seconds(4))
        let second = bench.queue()
        second.start()
        // Tries stay ten seconds apart: a few restarts in a row must not use them up.
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .milliseconds(5_999))
        #expect(bench.sender.log.count == 2)
        bench.clock.advance(by: .milliseconds(1))
        for attempt in 3...6 {
            await eventually { bench.sender.log.count >= attempt }
            guard attempt < 6 else { break }
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .seconds(10))
        }
        await eventually { bench.outbox.waiting == [] }
        #expect(bench.sender.log == Array(repeating: "a1", count: 6))
        #expect(bench.outbox.lost == ["down", "down"])
        await eventually { await second.status.losses?.count == 2 }
        #expect(bench.events.all.last == .notificationsGivenUp(count: 2, .unreachable(reason: "down")))
        await second.shutdown()
        // Who comes later still learns of it.
        let third = bench.queue()
        third.start()
        await eventually { await third.status.losses?.lastReason == "down" }
        #expect(await third.status.exhausted == 0)
        await third.shutdown()
    }

    @Test func whatWaitedThroughAnOutageArrivesOnceAfterTheRestart() async {
        let bench = Bench()
        bench.sender.fail(with: .unreachable(reason: "down"))
        for number in 1...20 { bench.outbox.write(.numbered("a", number)) }
        let first = bench.queue()
        first.start()
        await eventually { bench.outbox.waiting.allSatisfy { $0.hasSuffix("/1") } }
        await first.shutdown()
        #expect(await first.status.kept == 20)
        bench.sender.fail(with: nil)
        bench.sender.forget()
        bench.outbox.age(by: .seconds(9))
        let second = bench.queue()
        second.start()
        await bench.clock.sleepers(1)
        bench.outbox.write(.numbered("a", 21))
        bench.outbox.write(.numbered("b", 22))
        second.outboxChanged()
        await eventually { bench.sender.log == ["b22"] }
        bench.clock.advance(by: .seconds(1))
        #expect(await second.drain(timeout: .seconds(1)))
        #expect(bench.sender.log == ["b22"] + (1...21).map { "a\($0)" })
        await second.shutdown()
        #expect(await second.status.kept == 0)
    }

    @Test func whatIsTooOldIsGivenUp() async {
        let bench = Bench()
        bench.outbox.write(.numbered("a", 1), age: .seconds(600))
        bench.outbox.write(.numbered("a", 2), age: .milliseconds(599_999))
        let queue = bench.queue()
        queue.start()
        #expect(await queue.drain(timeout: .seconds(1)))
        #expect(bench.sender.log == ["a2"])
        #expect(await queue.status.expired == 1)
        #expect(bench.outbox.lost.count == 1 && bench.outbox.waiting == [])
        #expect(bench.events.all == [.notificationsExpired(count: 1)])
        // And while it waits here.
        bench.sender.fail(with: .refused(.unexpected))
        bench.outbox.write(.numbered("a", 3), age: .milliseconds(599_000))
        queue.outboxChanged()
        await eventually { bench.outbox.waiting == ["a3/1"] }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(10))
        await eventually { bench.outbox.waiting == [] }
        #expect(bench.sender.log == ["a2", "a3"])
        await queue.shutdown()
    }

    /// Neither a notification nor what became of it is lost by a store that fails for a while, which is said once.
    @Test func anOutboxThatFailsIsAskedAgain() async {
        let bench = Bench()
        let queue = bench.queue()
        bench.outbox.breakDown(true)
        bench.outbox.write(.numbered("a", 1))
        queue.start()
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(1))
        await eventually { bench.outbox.exchanges == 2 }
        bench.outbox.breakDown(false)
        bench.sender.whileSending { bench.outbox.breakDown(true) }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(2))
        await eventually { bench.outbox.exchanges >= 4 }
        #expect(bench.outbox.waiting == ["a1/0"] && bench.sender.log == ["a1"])
        bench.outbox.breakDown(false)
        queue.outboxChanged()
        await eventually { bench.outbox.waiting == [] }
        #expect(bench.sender.log == ["a1"])
        #expect(bench.events.all.count == 2 && bench.events.all.allSatisfy { $0 == .outboxFailed(reason: "Broken()") })
        await queue.shutdown()
    }

    @Test func anAnswerThatComesDuringTheShutdownCounts() async {
        let bench = Bench()
        bench.outbox.write(.numbered("a", 1))
        bench.outbox.write(.numbered("a", 2))
        let queue = bench.queue()
        bench.sender.hold()
        queue.start()
        await eventually { bench.sender.log == ["a1"] }
        async let end: Void = queue.shutdown()
        await eventually { await !queue.enqueue(.numbered("b", 1)) }
        bench.sender.release()
        await end
        #expect(bench.outbox.waiting == ["a2/0"] && bench.sender.log == ["a1"])
        #expect(await queue.status.sent == 1)
        #expect(await queue.status.kept == 1)
    }

    @Test func aDrainHurriesWhatIsHeldBack() async {
        let bench = Bench()
        let queue = bench.queue()
        queue.start()
        bench.outbox.hold(.numbered("a", 1))
        queue.outboxChanged()
        await eventually { bench.outbox.exchanges >= 1 }
        #expect(bench.sender.log == [])
        #expect(await queue.drain(timeout: .seconds(1)))
        #expect(bench.sender.log == ["a1"])
        await queue.shutdown()
    }

    @Test func anOutboxThatCannotBeReadIsNoDrainedOne() async {
        let bench = Bench()
        bench.outbox.breakDown(true)
        let queue = bench.queue()
        queue.start()
        await bench.clock.sleepers(1)
        async let isDrained = queue.drain(timeout: .milliseconds(500))
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .milliseconds(500))
        #expect(await !isDrained)
        await queue.shutdown()
        #expect(bench.clock.sleeperCount == 0)
    }

    private struct Bench {
        let outbox = MemoryOutbox()
        let sender = ScriptedSender()
        let clock = VirtualClock()
        let events = EventLog()
        let limits = SystemLock(NotifyQueue.Limits())

        func queue() -> NotifyQueue {
            let events = events
            return NotifyQueue(
                sender: sender, clock: clock, limits: limits.withLock { $0 }, outbox: outbox,
                onEvent: { events.append($0) })
        }
    }
}

/// Notes what it is given and answers as told.
private final class ScriptedSender: NotificationSender {
    private struct State {
        var log: [String] = []
        var error: PushNodeError?
        var isHeld = false
        var sending = 0
        var mostAtOnce = 0
        var whileSending: (@Sendable () -> Void)?
    }

    private let state = SystemLock(State())

    var log: [String] { state.withLock { $0.log } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    func fail(with error: PushNodeError?) { state.withLock { $0.error = error } }
    func forget() { state.withLock { $0.log = [] } }
    func hold() { state.withLock { $0.isHeld = true } }
    func release() { state.withLock { $0.isHeld = false } }
    /// Does something once, while a notification is on its way.
    func whileSending(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whileSending = body } }

    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        let action = state.withLock { state in
            state.log.append(notification.label)
            state.sending += 1
            state.mostAtOnce = max(state.mostAtOnce, state.sending)
            defer { state.whileSending = nil }
            return state.whileSending
        }
        action?()
        await Task.yield()
        // The node's answer comes whether or not its caller still waits.
        while state.withLock({ $0.isHeld }) { await Task.yield() }
        let error = state.withLock { state in
            state.sending -= 1
            return state.error
        }
        if let error { throw error }
    }
}
