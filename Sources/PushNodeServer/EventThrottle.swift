import Locks

/// Passes events on, those of one kind not more often than every so often: a full disk must not fill a log.
final class EventThrottle: Sendable {
    private let interval: Duration
    private let clock: any NodeClock
    private let report: @Sendable (NodeEvent) -> Void
    private let last = SystemLock<[NodeEvent.Kind: Duration]>([:])

    init(interval: Duration, clock: any NodeClock, report: @escaping @Sendable (NodeEvent) -> Void) {
        self.interval = interval
        self.clock = clock
        self.report = report
    }

    func pass(_ event: NodeEvent) {
        let now = clock.uptime
        let isDue = last.withLock { last in
            if let time = last[event.kind], now - time < interval { return false }
            last[event.kind] = now
            return true
        }
        if isDue { report(event) }
    }
}
