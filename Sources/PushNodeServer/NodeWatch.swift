import Locks
import PushAPI

/// Tells an operator, once a minute at most, what happens little by little: what expires, and that the calendar was set.
final class NodeWatch: Sendable {
    /// The time between two looks.
    static let interval = Duration.seconds(60)

    private let clock: any NodeClock
    private let lifetime: Duration
    private let report: @Sendable (NodeEvent) -> Void
    private let calendar: SystemLock<CalendarWatch>
    private let expired = SystemLock<[Platform: ExpiryCount]>([:])

    /// - Parameters:
    ///   - lifetime: how long notifications live.
    ///   - report: is told what an operator should know.
    init(clock: any NodeClock, lifetime: Duration, report: @escaping @Sendable (NodeEvent) -> Void) {
        self.clock = clock
        self.lifetime = lifetime
        self.report = report
        calendar = SystemLock(CalendarWatch(calendar: clock.calendar, uptime: clock.uptime))
    }

    /// Takes note of what was given up.
    func note(_ count: ExpiryCount, in lane: Platform) {
        expired.withLock { $0[lane, default: ExpiryCount()] += count }
    }

    /// Looks until the task is cancelled.
    func run() async {
        while (try? await clock.sleep(for: Self.interval)) != nil { look() }
    }

    /// Tells what there is to tell.
    func look() {
        let (now, uptime) = (clock.calendar, clock.uptime)
        if let step = calendar.withLock({ $0.step(calendar: now, uptime: uptime) }) { report(.clockStepped(by: step)) }
        let expired = expired.withLock { expired in
            defer { expired = [:] }
            return expired
        }
        for (lane, count) in expired.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !count.isEmpty {
            report(.expired(lane, count, lifetime: lifetime))
        }
    }
}
