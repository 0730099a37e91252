/// A moment of a node's own time: what it waits for, and what it stores of waiting, is counted in it.
///
/// It goes on with the machine's monotonic clock, over restarts too, and never steps (see ``Timeline``). It began as
/// the calendar's time when the store was made, and says nothing of the calendar since.
public struct NodeTime: Hashable, Comparable, Sendable {
    /// Milliseconds of the node's time.
    public var milliseconds: Int64

    /// - Parameter milliseconds: of the node's time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The moment `duration` later, held within what can be stored.
    public func advanced(by duration: Duration) -> NodeTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return NodeTime(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// How long after this moment `other` is; negative when it is earlier.
    public func duration(to other: NodeTime) -> Duration {
        let (difference, overflow) = other.milliseconds.subtractingReportingOverflow(milliseconds)
        return .milliseconds(overflow ? (other < self ? .min : .max) : difference)
    }

    public static func < (left: NodeTime, right: NodeTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
