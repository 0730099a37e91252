/// Tells when the calendar was set, without I/O or clocks: whoever drives it reads them.
struct CalendarWatch: Sendable {
    /// What the calendar may move against the uptime without being called a step; a leap second is less than 2 s.
    static let tolerance = Duration.seconds(2)

    private var calendar: UnixTime
    private var uptime: Duration

    init(calendar: UnixTime, uptime: Duration) {
        (self.calendar, self.uptime) = (calendar, uptime)
    }

    /// How far the calendar was set since it was last found set, forward or back (negative); `nil` when it was not.
    mutating func step(calendar: UnixTime, uptime: Duration) -> Duration? {
        let step = self.calendar.duration(to: calendar) - (uptime - self.uptime)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        (self.calendar, self.uptime) = (calendar, uptime)
        return step
    }
}
