internal import AnySyncWire

/// Lets something happen so many times a second on average, and twice as many times at once.
struct TokenBucket {
    private let perSecond: Double
    private var tokens: Double
    private var last: MonotonicTime

    init(perSecond: Int, now: MonotonicTime) {
        self.perSecond = Double(perSecond)
        tokens = 2 * Double(perSecond)
        last = now
    }

    /// Takes one; `false` when there is none now.
    mutating func take(now: MonotonicTime) -> Bool {
        let passed = now > last ? Double(now.nanoseconds - last.nanoseconds) / 1e9 : 0
        tokens = min(2 * perSecond, tokens + passed * perSecond)
        last = max(last, now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Gives back what was taken, or what somebody has earned.
    mutating func give(_ count: Int) {
        tokens = min(2 * perSecond, tokens + Double(count))
    }
}
