/// How long to wait before a delivery is tried again.
public struct Backoff: Hashable, Sendable {
    /// After the first try (Firebase, "Best practices when sending FCM messages at scale": 10 s at least).
    public var initial = Duration.seconds(10)
    /// At most.
    public var maximum = Duration.seconds(600)

    /// The defaults named at each property.
    public init() {}

    /// The longest time between two tries, with all that chance may add.
    public var longest: Duration { maximum + maximum / 2 }

    /// The time to wait after a number of tries: twice as long each time, and up to half as much again at random, so that
    /// what failed together is not tried together.
    ///
    /// - Parameters:
    ///   - attempts: tries so far, at least 1.
    ///   - random: any number.
    func delay(after attempts: Int, random: UInt64) -> Duration {
        let doublings = min(max(attempts - 1, 0), 16)
        let base = min(initial * (1 << doublings), maximum)
        return base + base * Int(random % 501) / 1000
    }
}
