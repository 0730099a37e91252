import Locks

/// What the honest client saw in one phase.
struct Phase: Sendable {
    /// How long each answered call took, in milliseconds, from the moment it was due.
    var times: [Double] = []
    /// Calls that were not answered well, by reason.
    var refused: [String: Int] = [:]
    /// Fresh clients that came, called and went.
    var newcomers = 0
    /// Those that could not.
    var turnedAway: [String: Int] = [:]
    /// How long each delivery took, in milliseconds, from the call that it was due to.
    var lags: [Double] = []
    /// Accepted notifications that were not delivered by the end.
    var undelivered = 0

    var refusedCount: Int { refused.values.reduce(0, +) }
    var turnedAwayCount: Int { turnedAway.values.reduce(0, +) }
    var callCount: Int { times.count + refusedCount }
}

extension [Double] {
    /// The value that so large a share of the values does not exceed; 0 when there is none.
    func percentile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(Int(Double(count) * share), count - 1)]
    }
}
