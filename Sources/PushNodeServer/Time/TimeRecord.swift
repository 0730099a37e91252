/// What a node's clocks said at one moment, kept in the store so that the next run can go on counting.
package struct TimeRecord: Hashable, Sendable {
    /// The node's time.
    package var time: NodeTime
    /// The calendar's.
    package var calendar: UnixTime
    /// The machine's uptime.
    package var uptime: Duration
    /// Which run of the machine that counts from.
    package var boot: String?

    /// A record; see the properties.
    package init(time: NodeTime, calendar: UnixTime, uptime: Duration, boot: String?) {
        (self.time, self.calendar, self.uptime, self.boot) = (time, calendar, uptime, boot)
    }

    /// What has passed since the record was made.
    ///
    /// In one run of the machine that is known exactly, whatever the calendar says by now. Over a restart of the machine
    /// it is not: only the calendar tells of the time in between, which may have been set meanwhile, so nothing is
    /// counted, and what waits lives longer by the time in which the machine was off.
    package func passage(to calendar: UnixTime, _ uptime: Duration, _ boot: String?) -> Passage {
        let moved = self.calendar.duration(to: calendar)
        let passed = uptime - self.uptime
        guard let known = self.boot, known == boot, passed >= .zero else {
            return Passage(counted: .zero, calendar: moved, isKnown: false)
        }
        return Passage(counted: passed, calendar: moved, isKnown: true)
    }

    /// What has passed until another record was made.
    package func passage(to other: TimeRecord) -> Passage {
        passage(to: other.calendar, other.uptime, other.boot)
    }

    /// The time between two runs.
    package struct Passage: Hashable, Sendable {
        /// What counts.
        package var counted: Duration
        /// What the calendar moved by.
        package var calendar: Duration
        /// Whether what counts is what passed.
        package var isKnown: Bool
    }
}
