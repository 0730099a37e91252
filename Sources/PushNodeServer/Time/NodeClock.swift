/// The clocks that a node is given.
public protocol NodeClock: Sendable {
    /// The time of the calendar, which may be set forward or back at any time: for people to read, and for nothing that
    /// is waited for.
    var calendar: UnixTime { get }

    /// The time since the machine started, time asleep included. It never steps; it means nothing in another
    /// ``boot``.
    var uptime: Duration { get }

    /// Names the machine's run that ``uptime`` counts from; `nil` when that is not known.
    var boot: String? { get }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}
