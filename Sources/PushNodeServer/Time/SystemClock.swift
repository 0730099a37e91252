import FoundationEssentials
import MachineTime

/// The machine's clocks.
public struct SystemClock: NodeClock {
    /// The clock.
    public init() {}

    public var calendar: UnixTime {
        UnixTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    public var uptime: Duration {
        MachineMoment.now.uptime
    }

    public var boot: String? {
        MachineMoment.now.boot
    }

    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
