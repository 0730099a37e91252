import Locks
import PushAPI
import PushNode
import TestSupport
import Testing

@testable import PushNodeServer

/// A lane under every order of its own steps, of notifications that come, and of steps of the clock.
@Suite(.timeLimit(.minutes(5))) struct LaneOrderTests {
    private static let expiry = TestClock.start.advanced(by: .seconds(86_400))

    /// One notification for one device, whose first try fails: the clock comes near the moment of the next try, or to it,
    /// between any two steps of the lane, and stands still between looks or moves 1 ms at each of them.
    @Test(arguments: [Duration.zero, .milliseconds(1)], 9_994...10_001)
    func whatIsDueIsTakenWheneverTheClockMoves(drift: Duration, step: Int) async {
        await explore(departures: 2, drift: drift) { run, bench in
            bench.publish(1, run)
            run.steps(.milliseconds(step))
        }
    }

    /// Two notifications that come at any time, around each other's tries and pauses.
    @Test(arguments: [DeliveryOutcome.retry(after: nil), .retry(after: .seconds(11)), .misconfigured])
    func nothingIsLeftWhateverTheFirstTryCameTo(outcome: DeliveryOutcome) async {
        await explore(departures: 2, drift: .milliseconds(1), outcome) { run, bench in
            bench.publish(1, run)
            bench.publish(2, run)
            run.steps(.milliseconds(9_998), .seconds(50))
        }
    }

    /// The store fails when it is asked for the next try, once the due ones were taken.
    @Test(arguments: [1, 2])
    func nothingIsLeftBehindAStoreThatFailed(failures: Int) async {
        await explore(departures: 2, drift: .milliseconds(1), failures: failures) { run, bench in
            bench.publish(1, run)
            run.steps(.milliseconds(9_998), .seconds(1))
        }
    }

    /// Every notification reaches the device, the lane sleeps for ever only when nothing is left, and it ends when told.
    private func explore(
        departures: Int, drift: Duration, _ firstOutcome: DeliveryOutcome = .retry(after: nil), failures: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ scenario: @escaping @Sendable (Exploration.Run, Bench) -> Void
    ) async {
        let outcome = await OwnThread.run {
            Exploration(departures: departures, drift: drift).run { run in
                let bench = Bench(run, firstOutcome, failures)
                scenario(run, bench)
                return { bench.finding(run) }
            }
        }
        #expect(outcome.failure == nil, sourceLocation: sourceLocation)
        #expect(outcome.points > 10 && outcome.runs > 100, "\(outcome)", sourceLocation: sourceLocation)
    }

    private final class Bench: Sendable {
        private let store: MemoryQueue
        private let lane: Lane<RecordingForwarder>
        private let published = SystemLock(0)
        private let left = SystemLock<Int?>(nil)

        init(_ run: Exploration.Run, _ firstOutcome: DeliveryOutcome, _ failures: Int) {
            let store = MemoryQueue(expiresAt: LaneOrderTests.expiry, failures: failures)
            let lane = Lane(
                .ios, forwarder: RecordingForwarder { $0.attempts == 0 ? firstOutcome : .delivered }, store: store,
                clock: TestClock(run.clock).timeline, limits: LaneLimits(), random: { 0 }, report: { _ in })
            (self.store, self.lane) = (store, lane)
            run.start { await lane.run() }
        }

        func publish(_ id: Int64, _ run: Exploration.Run) {
            published.withLock { $0 += 1 }
            run.event { [lane, store] in await lane.add(await store.queue(id)) }
        }

        func finding(_ run: Exploration.Run) -> String? {
            let (store, left) = (store, left)
            run.first {
                let count = await store.left
                left.withLock { $0 = count }
            }
            let count = left.withLock { $0 } ?? -1
            return count == 0 ? nil : "\(count) of \(published.withLock { $0 }) left"
        }
    }
}
