/// The time since some moment, on any clock. It makes instants of a clock whose type is not known comparable.
struct Stopwatch: Sendable {
    /// The time since this stopwatch was made.
    let elapsed: @Sendable () -> Duration

    /// Starts now.
    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}
