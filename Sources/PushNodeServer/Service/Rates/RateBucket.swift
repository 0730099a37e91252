/// A token bucket: holds up to a burst, and is filled at a steady rate.
struct RateBucket {
    private var tokens: Double
    private var filledAt: NodeTime

    /// A full bucket.
    init(_ rate: CallRate, now: NodeTime) {
        tokens = Double(rate.burst)
        filledAt = now
    }

    /// Adds what has come in since the last time.
    mutating func fill(_ rate: CallRate, now: NodeTime) {
        // Whatever the time does, the bucket goes on from where it is.
        let passed = max(Double(filledAt.duration(to: now) / .milliseconds(1)), 0) / 1000
        filledAt = now
        tokens = min(tokens + passed * Double(rate.perSecond), Double(rate.burst))
    }

    /// How full it is, from 0 to 1.
    func fullness(_ rate: CallRate) -> Double {
        rate.burst > 0 ? tokens / Double(rate.burst) : 1
    }

    /// How long until there are so many tokens, zero when they are there. More than a burst never come: then a full
    /// bucket will do.
    func wait(for count: Int, _ rate: CallRate) -> Duration {
        let missing = min(Double(count), Double(rate.burst)) - tokens
        guard missing > 0 else { return .zero }
        return .milliseconds(Int64((missing / Double(max(rate.perSecond, 1)) * 1000).rounded(.up)))
    }

    /// Takes tokens. Taking more than there are leaves a debt.
    mutating func take(_ count: Int) {
        tokens -= Double(count)
    }
}
