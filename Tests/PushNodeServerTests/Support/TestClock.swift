import Locks
import PushAPI
import PushNode
import SQLiteStorage
import TestSupport

@testable import PushNodeServer

/// A node's clocks, which stand still until a test moves them.
final class TestClock: NodeClock {
    /// What the calendar says at first, and so a fresh store's time.
    static let start = NodeTime(milliseconds: 1_800_000_000_000)

    let clock: VirtualClock
    let boot: String?
    private let startUptime: Duration
    private let step: SystemLock<Duration>

    /// - Parameters:
    ///   - clock: moves all of them.
    ///   - step: how far the calendar was set.
    ///   - startUptime: how long the machine runs.
    ///   - boot: which run of the machine that is.
    init(
        _ clock: VirtualClock = VirtualClock(), step: Duration = .zero, startUptime: Duration = .seconds(1000),
        boot: String? = "first"
    ) {
        self.clock = clock
        self.boot = boot
        self.startUptime = startUptime
        self.step = SystemLock(step)
    }

    var calendar: UnixTime {
        let step = step.withLock { $0 }
        return UnixTime(milliseconds: Self.start.milliseconds).advanced(by: clock.now.offset + step)
    }

    var uptime: Duration { startUptime + clock.now.offset }

    /// Sets the calendar.
    func set(by step: Duration) {
        self.step.withLock { $0 += step }
    }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// The time of a node that began when this clock did.
    var timeline: Timeline {
        let start = UnixTime(milliseconds: Self.start.milliseconds)
        return Timeline(
            self, after: TimeRecord(time: Self.start, calendar: start, uptime: startUptime, boot: boot))
    }
}

extension SQLiteStore {
    /// Opens a store under a clock that stands at `now`, on a machine that ran all the time.
    static func open(
        path: String, limits: StoreLimits = .bytes(1 << 30), lanes: [Platform], now: NodeTime
    ) async throws(StoreError) -> SQLiteStore {
        let clock = TestClock()
        clock.clock.advance(by: TestClock.start.duration(to: now))
        return try await open(
            path: path, limits: limits, clock: clock, QueueRecovery(lanes: lanes)
        ).store
    }
}
