import Locks

/// Passes events on, those of one kind not more often than every so often: a full disk must not fill a log. How many were left
/// out is said with the next.
final class EventThrottle: Sendable {
    private let interval: Duration
    private let clock: any NodeClock
    private let report: @Sendable (NodeEvent) -> Void
    private let last = SystemLock<[NodeEvent.Kind: Last]>([:])

    private struct Last {
        var time: Duration
        var unsaid = 0
    }

    init(interval: Duration, clock: any NodeClock, report: @escaping @Sendable (NodeEvent) -> Void) {
        self.interval = interval
        self.clock = clock
        self.report = report
    }

    func pass(_ event: NodeEvent) {
        let now = clock.uptime
        let unsaid: Int? = last.withLock { last in
            if let said = last[event.kind], now - said.time < interval {
                last[event.kind]?.unsaid += 1
                return nil
            }
            return last.updateValue(Last(time: now), forKey: event.kind)?.unsaid ?? 0
        }
        guard let unsaid else { return }
        report(unsaid > 0 ? .repeated(event, unsaid: unsaid) : event)
    }
}
