/// A point on a clock that never goes back, in nanoseconds since that clock's start.
///
/// The codecs never read a clock: whoever drives them passes the time in, so tests run on virtual time.
public struct MonotonicTime: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's start.
    public var nanoseconds: UInt64

    /// The clock's start.
    public static let zero = MonotonicTime(nanoseconds: 0)

    /// - Parameter nanoseconds: since the clock's start.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The time `duration` later (earlier when negative), held within the clock's range.
    public func advanced(by duration: Duration) -> MonotonicTime {
        let offset = Self.nanoseconds(in: duration)
        if offset >= 0 {
            let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(offset))
            return MonotonicTime(nanoseconds: overflow ? .max : sum)
        }
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(offset.magnitude)
        return MonotonicTime(nanoseconds: overflow ? 0 : difference)
    }

    /// How long after this time `other` is; negative when it is earlier.
    public func duration(to other: MonotonicTime) -> Duration {
        if other >= self {
            return .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
        }
        return .nanoseconds(-Int64(clamping: nanoseconds - other.nanoseconds))
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    private static func nanoseconds(in duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (total, past) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return past ? (seconds < 0 ? .min : .max) : total
    }
}
