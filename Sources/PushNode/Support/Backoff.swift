/// How long to wait after a failure: twice as long each time, up to a bound.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure.
    public var initial: Duration
    /// The longest wait.
    public var maximum: Duration

    /// Waits between the two bounds.
    public init(initial: Duration, maximum: Duration) {
        self.initial = initial
        self.maximum = maximum
    }

    /// The wait after so many failures in a row, counted from 1.
    func delay(afterFailures count: Int) -> Duration {
        // 2³⁰ times anything is past any sensible bound, and does not overflow a duration.
        min(initial * (1 << min(max(count - 1, 0), 30)), maximum)
    }
}
