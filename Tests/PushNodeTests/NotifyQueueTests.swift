import ProtoWire
import PushAPI
import PushNode
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct NotifyQueueTests {
    @Test func aNotificationGoesOutAtOnce() async {
        let (queue, sender, _) = make()
        #expect(await queue.enqueue(notification("a", 1)))
        await sender.calls(1)
        #expect(await queue.drain(timeout: .seconds(1)))
        let status = await queue.status
        #expect(status.sent == 1 && status.depth == 0 && status.lastError == nil)
        await queue.shutdown()
    }

    @Test func sixTriesTenSecondsApart() async {
        let (queue, sender, clock) = make()
        await sender.always(.unreachable(reason: "down"))
        await queue.enqueue(notification("a", 1))
        for attempt in 1...6 {
            await sender.calls(attempt)
            guard attempt < 6 else { break }
            await clock.sleepers(1)
            clock.advance(by: .milliseconds(9_999))
            #expect(await sender.log.count == attempt)
            clock.advance(by: .milliseconds(1))
        }
        // A drain that starts after the last try finds the queue empty at once.
        await eventually { await queue.status.depth == 0 }
        let status = await queue.status
        #expect(status.exhausted == 1 && status.sent == 0)
        #expect(status.lastError == .unreachable(reason: "down"))
        #expect(await sender.log.count == 6)
        await queue.shutdown()
    }

    @Test(arguments: [PushErrorCode.noValidTopics, .invalidSignature, .invalidTopicSignature])
    func anAnswerThatWillNotChangeEndsTheTries(code: PushErrorCode) async {
        let (queue, sender, clock) = make()
        await sender.next(.refused(code))
        await queue.enqueue(notification("a", 1))
        await sender.calls(1)
        await eventually { await queue.status.depth == 0 }
        #expect(await queue.status.refused == 1)
        clock.advance(by: .seconds(60))
        #expect(await sender.log.count == 1)
        await queue.shutdown()
    }

    @Test func orderWithinAChatSurvivesAnOutage() async {
        let (queue, sender, clock) = make()
        await sender.next(.unreachable(reason: "down"))
        await queue.enqueue(notification("a", 1))
        await sender.calls(1)
        await clock.sleepers(1)
        await queue.enqueue(notification("a", 2))
        await queue.enqueue(notification("a", 3))
        #expect(await sender.log.count == 1, "nothing of the chat is sent before its turn")
        clock.advance(by: .seconds(10))
        await sender.calls(4)
        #expect(await sender.log == ["a1", "a1", "a2", "a3"])
        await queue.shutdown()
    }

    @Test func aChatDoesNotWaitForAnother() async {
        let (queue, sender, clock) = make()
        await sender.fail("a", with: .deadlineExceeded)
        await queue.enqueue(notification("a", 1))
        await sender.calls(1)
        await clock.sleepers(1)
        await queue.enqueue(notification("b", 1))
        await sender.calls(2)
        #expect(await sender.log == ["a1", "b1"])
        await queue.shutdown()
    }

    @Test func aRefusedNotificationDoesNotHoldUpItsChat() async {
        let (queue, sender, clock) = make()
        await sender.next(.failed(code: 1200, text: "unexpected"))
        await queue.enqueue(notification("a", 1))
        await queue.enqueue(notification("a", 2))
        await sender.calls(2)
        #expect(await sender.log == ["a1", "a2"])
        await clock.sleepers(1)
        clock.advance(by: .seconds(10))
        await sender.calls(3)
        #expect(await sender.log == ["a1", "a2", "a1"])
        #expect(await queue.drain(timeout: .seconds(1)))
        #expect(await queue.status.sent == 2)
        await queue.shutdown()
    }

    @Test func oneThatStepsBackWhileTheNextIsBeingSentIsNotLost() async {
        let (queue, sender, clock) = make()
        await sender.next(.failed(code: 1200, text: "unexpected"))
        await queue.enqueue(notification("a", 1))
        await sender.calls(1)
        await clock.sleepers(1)
        await sender.hold()
        await queue.enqueue(notification("a", 2))
        await sender.calls(2)
        clock.advance(by: .seconds(10))
        // The first is back in its chat once nothing sleeps for it anymore and the queue has taken a turn.
        await eventually { clock.sleeperCount == 0 }
        for _ in 0..<100 { _ = await queue.status }
        await sender.release()
        await sender.calls(3)
        await eventually { await queue.status.depth == 0 }
        #expect(await sender.log == ["a1", "a2", "a1"])
        #expect(await queue.status.sent == 2)
        await queue.shutdown()
    }

    @Test func everythingThatWaitedThroughAnOutageEndsWithIt() async {
        let (queue, sender, clock) = make()
        await sender.always(.unreachable(reason: "down"))
        await sender.hold()
        for number in 1...3 { await queue.enqueue(notification("a", number)) }
        await sender.release()
        for attempt in 1...6 {
            await sender.calls(attempt)
            guard attempt < 6 else { break }
            await clock.sleepers(1)
            clock.advance(by: .seconds(10))
        }
        // 2 and 3 came before the first answer, so each of the six tries of the chat was one of theirs.
        await eventually { await queue.status.depth == 0 }
        #expect(await queue.status.exhausted == 3)
        #expect(await sender.log == Array(repeating: "a1", count: 6))
        await queue.shutdown()
    }

    @Test func overflowDropsTheNewest() async {
        let (queue, sender, _) = make(capacity: 4)
        await sender.hold()
        for number in 1...4 { #expect(await queue.enqueue(notification("a", number))) }
        #expect(await !queue.enqueue(notification("b", 5)))
        #expect(await queue.status.dropped == 1)
        await sender.release()
        await sender.calls(4)
        #expect(await sender.log == ["a1", "a2", "a3", "a4"])
        await queue.shutdown()
    }

    @Test func shutdownCancelsWhatRunsAndCountsWhatIsLeft() async {
        let (queue, sender, _) = make()
        await sender.hold()
        for number in 1...3 { await queue.enqueue(notification("a", number)) }
        await sender.calls(1)
        await queue.shutdown()
        let status = await queue.status
        #expect(status.abandoned == 3 && status.depth == 0)
        #expect(await !queue.enqueue(notification("a", 4)))
        #expect(await sender.log.count == 1)
    }

    @Test func drainGivesUpAfterItsTime() async {
        let (queue, sender, clock) = make()
        await sender.always(.unreachable(reason: "down"))
        await queue.enqueue(notification("a", 1))
        await sender.calls(1)
        await clock.sleepers(1)
        async let drained = queue.drain(timeout: .seconds(5))
        await clock.sleepers(2)
        clock.advance(by: .seconds(5))
        #expect(await !drained)
        await queue.shutdown()
        #expect(clock.sleeperCount == 0)
    }

    private func make(capacity: Int = 256) -> (NotifyQueue, FakeSender, VirtualClock) {
        let sender = FakeSender()
        let clock = VirtualClock()
        var limits = NotifyQueue.Limits()
        limits.capacity = capacity
        return (NotifyQueue(sender: sender, clock: clock, limits: limits), sender, clock)
    }

    private func notification(_ chat: String, _ number: Int) -> OutgoingNotification {
        let message = NotifyRequest.Message(keyId: WireString("\(number)"))
        return OutgoingNotification(
            kind: .normal, request: NotifyRequest(topics: Topics(), message: message, groupId: WireString(chat))
        )
    }
}

/// Notes what is sent and answers as told.
private actor FakeSender: NotificationSender {
    private(set) var log: [String] = []
    private var errors: [PushNodeError] = []
    private var failing: [String: PushNodeError] = [:]
    private var fallback: PushNodeError?
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var waiters: [(Int, CheckedContinuation<Void, Never>)] = []

    func next(_ error: PushNodeError) { errors.append(error) }
    func always(_ error: PushNodeError) { fallback = error }
    func fail(_ chat: String, with error: PushNodeError) { failing[chat] = error }
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for continuation in held { continuation.resume() }
        held = []
    }

    func calls(_ count: Int) async {
        guard log.count < count else { return }
        await withCheckedContinuation { waiters.append((count, $0)) }
    }

    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        let chat = notification.request.groupId.string
        log.append(chat + (notification.request.message?.keyId.string ?? ""))
        for (count, waiter) in waiters where count <= log.count { waiter.resume() }
        waiters.removeAll { $0.0 <= log.count }
        if isHeld {
            await withTaskCancellationHandler {
                await withCheckedContinuation { held.append($0) }
            } onCancel: {
                Task { await self.release() }
            }
            if Task.isCancelled { throw .cancelled }
        }
        if let error = failing[chat] { throw error }
        if !errors.isEmpty { throw errors.removeFirst() }
        if let fallback { throw fallback }
    }
}
