/// A clock of any kind, with time as the duration since this value was made.
struct HTTPClock: Sendable {
    /// The time now.
    let now: @Sendable () -> Duration
    /// Sleeps until a time. Throws `CancellationError` when the task is cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
