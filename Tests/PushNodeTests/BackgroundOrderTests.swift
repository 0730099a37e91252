import Locks
import ProtoWire
import PushAPI
import PushCrypto
import TestSupport
import Testing

@testable import PushNode

/// What works in the background, under every order of its own steps, of what it is asked, and of moves of the clock.
@Suite(.timeLimit(.minutes(2))) struct BackgroundOrderTests {
    /// Three notifications of two chats, each of whose first try fails so, sent by a queue.
    @Test(arguments: [
        PushNodeError.unreachable(reason: "down"), .refused(.unexpected), .refused(.noValidTopics), .deadlineExceeded,
    ])
    func aQueueEndsWithEveryNotificationSentOrGivenUp(error: PushNodeError) async {
        await explore(departures: 1) { run in
            let sender = FailingOnce(error)
            let queue = NotifyQueue(sender: sender, clock: run.clock)
            let end = SystemLock<NotifyQueue.Status?>(nil)
            for (chat, number) in [("a", 1), ("a", 2), ("b", 3)] {
                run.event { await queue.enqueue(Self.notification(chat, number)) }
            }
            run.steps(.seconds(10))
            run.start {
                _ = await queue.drain(timeout: .seconds(600))
            }
            return {
                run.first {
                    let status = await queue.status
                    end.withLock { $0 = status }
                }
                guard let status = end.withLock({ $0 }) else { return "no answer" }
                return status.depth == 0 && status.sent + status.refused == 3 ? nil : "\(status)"
            }
        }
    }

    /// Notifications come into an outbox at any time, the first try of each fails, and the queue stops at any time; the next
    /// one sends what is left. Nothing is lost, and nothing is sent again whose answer came.
    @Test(arguments: [PushNodeError.unreachable(reason: "down"), .refused(.unexpected)])
    func anOutboxIsSentWholeOverAStopAtAnyTime(error: PushNodeError) async {
        await explore(departures: 1) { run in
            let sender = FailingOnce(error)
            let outbox = MemoryOutbox()
            let first = NotifyQueue(sender: sender, clock: run.clock, outbox: outbox)
            let current = SystemLock(first)
            first.start()
            for (chat, number) in [("a", 1), ("a", 2), ("b", 3)] {
                run.inOrder([
                    {
                        outbox.write(Self.notification(chat, number))
                        current.withLock { $0 }.outboxChanged()
                    }
                ])
            }
            run.steps(.seconds(10))
            let clock = run.clock
            run.event {
                await first.shutdown()
                let second = NotifyQueue(sender: sender, clock: clock, outbox: outbox)
                current.withLock { $0 = second }
                second.start()
            }
            return {
                // Nobody else holds the queue.
                withExtendedLifetime(current) {
                    run.first { await current.withLock { $0 }.shutdown() }
                    guard outbox.waiting.isEmpty, outbox.lost.isEmpty else {
                        return "\(outbox.waiting), \(outbox.lost)"
                    }
                    return sender.sentCount == 3 ? nil : "\(sender.sentCount) sent"
                }
            }
        }
    }

    /// The outbox fails from any moment until any later one. Everything is sent once, and nothing is left.
    @Test func anOutboxThatFailsForAWhileIsSentWhole() async {
        await explore(departures: 1) { run in
            let sender = FailingOnce(.unreachable(reason: "down"))
            let outbox = MemoryOutbox()
            let queue = NotifyQueue(sender: sender, clock: run.clock, outbox: outbox)
            queue.start()
            for (chat, number) in [("a", 1), ("b", 2)] {
                run.inOrder([
                    {
                        outbox.write(Self.notification(chat, number))
                        queue.outboxChanged()
                    }
                ])
            }
            run.inOrder([{ outbox.breakDown(true) }, { outbox.breakDown(false) }])
            run.steps(.seconds(10))
            return {
                withExtendedLifetime(queue) {
                    run.first { await queue.shutdown() }
                    guard outbox.waiting.isEmpty, outbox.lost.isEmpty else {
                        return "\(outbox.waiting), \(outbox.lost)"
                    }
                    return sender.sentCount == 2 ? nil : "\(sender.sentCount) sent"
                }
            }
        }
    }

    /// Work that fails twice, then asks to be done again after a time; it is asked for at any time besides, and must see
    /// what it was asked for last.
    @Test func aLoopSeesTheLastThingItWasAskedFor() async {
        await explore(departures: 3) { run in
            let wanted = SystemLock(0)
            let seen = SystemLock((value: -1, runs: 0))
            let loop = WorkLoop(clock: run.clock, backoff: Backoff(initial: .seconds(1), maximum: .seconds(4)))
            loop.start {
                let value = wanted.withLock { $0 }
                await Task.yield()
                return seen.withLock { seen in
                    seen.runs += 1
                    guard seen.runs > 2 else { return .retry }
                    seen.value = value
                    return seen.runs == 3 ? .after(.seconds(5)) : .idle
                }
            }
            let ask: @Sendable () -> Void = {
                wanted.withLock { $0 += 1 }
                loop.kick()
            }
            run.inOrder([ask, ask])
            run.steps(.milliseconds(999), .milliseconds(1))
            return {
                let (value, wanted) = (seen.withLock { $0.value }, wanted.withLock { $0 })
                return value == wanted ? nil : "saw \(value), not \(wanted)"
            }
        }
    }

    /// Three messages in two spaces, one of whose keys cannot be had.
    @Test func hooksEndWithEveryMessageHandedOnOrCounted() async {
        await explore(departures: 1) { run in
            let sender = FailingOnce(.unreachable(reason: "down"))
            let queue = NotifyQueue(sender: sender, clock: run.clock)
            let hooks = PushHooks(account: Self.account, source: HalfSource(), queue: queue, clock: run.clock)
            for (space, id) in [("s1", "m1"), ("s1", "m2"), ("none", "m3")] {
                run.inOrder([{ hooks.messageSent(Self.message(id, in: space)) }])
            }
            run.steps(.seconds(10))
            run.start { _ = await hooks.drain(timeout: .seconds(600)) }
            return {
                let status = hooks.status
                guard status.depth == 0, status.enqueued == 2, status.failed == 1 else { return "\(status)" }
                return sender.sentCount == 2 ? nil : "\(sender.sentCount) sent"
            }
        }
    }

    private static let account = SigningKey()

    private func explore(
        departures: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ scenario: @escaping @Sendable (Exploration.Run) -> () -> String?
    ) async {
        for drift in [Duration.zero, .milliseconds(1)] {
            let outcome = await OwnThread.run {
                let exploration = Exploration(departures: departures, drift: drift)
                return OwnedTasks.$executor.withValue(exploration.executor) { exploration.run(scenario) }
            }
            #expect(outcome.failure == nil, sourceLocation: sourceLocation)
            #expect(outcome.points > 5 && outcome.runs > 10, "\(outcome)", sourceLocation: sourceLocation)
        }
    }

    private static func notification(_ chat: String, _ number: Int) -> OutgoingNotification {
        let message = NotifyRequest.Message(keyId: WireString("\(number)"))
        return OutgoingNotification(
            kind: .normal, request: NotifyRequest(topics: Topics(), message: message, groupId: WireString(chat)))
    }

    private static func message(_ id: String, in space: String) -> StoredMessage {
        StoredMessage(
            spaceId: space, chatId: "c1", messageId: id, text: "a secret", attachmentCount: 0, mentions: [])
    }
}

/// Fails the first try of each notification.
private final class FailingOnce: NotificationSender {
    private let error: PushNodeError
    private let state = SystemLock((tried: Set<WireString>(), sent: 0))

    init(_ error: PushNodeError) {
        self.error = error
    }

    var sentCount: Int { state.withLock { $0.sent } }

    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        await Task.yield()
        let id = notification.request.message.map { WireString(bytes: Array($0.keyId.bytes + $0.payload)) } ?? ""
        let isFirst = state.withLock { state in
            let isFirst = state.tried.insert(id).inserted
            if !isFirst { state.sent += 1 }
            return isFirst
        }
        if isFirst { throw error }
    }
}

/// Has the keys of one space.
private final class HalfSource: ChatContextSource {
    private static let known = FakeSource.freshKeys()

    func keys(of spaceId: String) async throws -> SpacePushKeys? {
        await Task.yield()
        return spaceId == "s1" ? Self.known : nil
    }

    func context(of chatId: String, in spaceId: String) async throws -> ChatContext {
        ChatContext(spaceName: "Space", chatName: "Chat", senderName: "Sender", isOneToOne: false)
    }
}
