/// The time of a running node: goes on with the machine's uptime, whatever is done to the calendar.
package struct Timeline: Sendable {
    private let clock: any NodeClock
    private let start: NodeTime
    private let startUptime: Duration

    /// - Parameters:
    ///   - clock: the node's clocks.
    ///   - record: what it goes on from; it may be of another run of the process or of the machine.
    package init(_ clock: any NodeClock, after record: TimeRecord) {
        self.clock = clock
        startUptime = clock.uptime
        start = record.time.advanced(by: record.passage(to: clock.calendar, startUptime, clock.boot).counted)
    }

    /// The timeline of a node that has no record: it begins as the calendar.
    package init(beginning clock: any NodeClock) {
        self.clock = clock
        startUptime = clock.uptime
        start = NodeTime(milliseconds: clock.calendar.milliseconds)
    }

    /// The node's time.
    package var now: NodeTime {
        time(at: clock.uptime)
    }

    /// The calendar's time, for people.
    package var calendar: UnixTime {
        clock.calendar
    }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// What is to be kept for the next run.
    package var record: TimeRecord {
        let uptime = clock.uptime
        return TimeRecord(time: time(at: uptime), calendar: clock.calendar, uptime: uptime, boot: clock.boot)
    }

    private func time(at uptime: Duration) -> NodeTime {
        start.advanced(by: uptime - startUptime)
    }
}
