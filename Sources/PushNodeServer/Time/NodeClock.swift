import FoundationEssentials

/// Where the node's time comes from.
public protocol NodeClock: Sendable {
    /// The time of the calendar, for what is stored.
    var now: UnixTime { get }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

/// The machine's clocks.
public struct SystemClock: NodeClock {
    /// The clock.
    public init() {}

    public var now: UnixTime {
        UnixTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
