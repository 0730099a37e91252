import Locks
import Testing

@testable import PushNodeServer

@Suite(.timeLimit(.minutes(1))) struct DeliveryDeadlineTests {
    @Test func anAnswerIsHandedOn() async {
        let deadline = DeliveryDeadline(room: 4)
        await withTaskGroup(of: DeliveryOutcome.self) { group in
            for _ in 0..<100 { group.addTask { await deadline.deliver { .tokenGone } } }
            for await outcome in group { #expect(outcome == .tokenGone) }
        }
    }

    @Test func aTryThatHangsIsGivenUpAndLittleIsGivenToItsForwarder() async {
        let gate = Gate()
        let started = SystemLock(0)
        let deadline = DeliveryDeadline(limit: .milliseconds(1), room: 3)
        for _ in 0..<10 {
            let outcome = await deadline.deliver {
                started.withLock { $0 += 1 }
                await gate.pass()
                return .delivered
            }
            #expect(outcome == .retry(after: nil))
        }
        #expect(started.withLock { $0 } <= 3)
        gate.open()
    }

    @Test func whoIsCancelledIsAnsweredThoughTheForwarderHangs() async {
        let gate = Gate()
        let deadline = DeliveryDeadline(grace: .milliseconds(1), room: 4)
        let task = Task {
            await deadline.deliver {
                await gate.pass()
                return .delivered
            }
        }
        task.cancel()
        #expect(await task.value == .retry(after: nil))
        gate.open()
    }

    @Test func aForwarderThatIsCancelledMaySayWhatCameOfIt() async {
        let deadline = DeliveryDeadline(grace: .seconds(3600), room: 4)
        let task = Task {
            await deadline.deliver {
                while !Task.isCancelled { await Task.yield() }
                return .tokenGone
            }
        }
        task.cancel()
        #expect(await task.value == .tokenGone)
    }
}
