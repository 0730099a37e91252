/// A moment of the calendar, as people read it: milliseconds since 1970-01-01 UTC.
public struct UnixTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970.
    public var milliseconds: Int64

    /// - Parameter milliseconds: since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The moment `duration` later, held within what can be stored.
    public func advanced(by duration: Duration) -> UnixTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return UnixTime(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// How long after this moment `other` is; negative when it is earlier.
    public func duration(to other: UnixTime) -> Duration {
        let (difference, overflow) = other.milliseconds.subtractingReportingOverflow(milliseconds)
        return .milliseconds(overflow ? (other < self ? .min : .max) : difference)
    }

    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Duration {
    /// The duration in milliseconds, cut to a whole number and held within what can be stored.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
