import Locks

/// Passes events on, those of one kind not more often than every so often: a full disk must not fill a log. Those that were
/// not passed on are counted, and the next of their kind says how many they were.
final class EventThrottle: Sendable {
    private struct Last {
        let time: Duration
        var unsaid = 0
    }

    private let interval: Duration
    private let clock: any NodeClock
    private let report: @Sendable (NodeEvent) -> Void
    private let last = SystemLock<[NodeEvent.Kind: Last]>([:])

    init(interval: Duration, clock: any NodeClock, report: @escaping @Sendable (NodeEvent) -> Void) {
        self.interval = interval
        self.clock = clock
        self.report = report
    }

    func pass(_ event: NodeEvent) {
        let now = clock.uptime
        let unsaid = last.withLock { last -> Int? in
            let before = last[event.kind]
            if let before, now - before.time < interval {
                last[event.kind]?.unsaid += 1
                return nil
            }
            last[event.kind] = Last(time: now)
            return before?.unsaid ?? 0
        }
        guard let unsaid else { return }
        report(unsaid == 0 ? event : .repeated(event, unsaid: unsaid))
    }
}
