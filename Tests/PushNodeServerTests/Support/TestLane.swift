import Locks
import ProtoWire
import PushAPI
import PushNode
import TestSupport
import Testing

@testable import PushNodeServer

/// One lane over a store of its own.
struct TestLane {
    let test: TestStore
    let lane: Lane<RecordingForwarder>
    let forwarder: RecordingForwarder
    let clock: TestClock
    private let log = EventLog()
    private let task: Task<Void, Never>

    init(
        _ limits: LaneLimits = LaneLimits(), _ forwarder: RecordingForwarder = RecordingForwarder(),
        clock: TestClock = TestClock()
    ) async throws {
        test = try await TestStore()
        self.forwarder = forwarder
        self.clock = clock
        let lane = Lane(
            .ios, forwarder: forwarder, store: test.store, clock: clock.timeline, limits: limits, random: { 0 },
            report: log.add
        )
        try await lane.load()
        self.lane = lane
        task = Task { await lane.run() }
    }

    var events: [NodeEvent] { log.events }

    func publish(_ topics: TopicKey..., lifetime: Duration = .seconds(3600)) async throws {
        var notification = test.notification(topics, lifetime: lifetime)
        notification.lanes = [.ios]
        await lane.add(try await test.accept(notification))
    }

    /// Waits until the lane has tried so many deliveries.
    func tries(_ count: Int) async { await forwarder.tries(count) }

    /// Moves the time once something sleeps until then.
    func advance(by duration: Duration) async {
        await clock.clock.sleepers(1)
        clock.clock.advance(by: duration)
    }

    /// Lets the lane finish what can be done now.
    func finish() async {
        await lane.finish()
        await task.value
    }

    func cancel() async {
        task.cancel()
        await task.value
    }
}

final class EventLog: Sendable {
    private let log = SystemLock<[NodeEvent]>([])

    var events: [NodeEvent] { log.withLock { $0 } }

    @Sendable func add(_ event: NodeEvent) {
        log.withLock { $0.append(event) }
    }
}
