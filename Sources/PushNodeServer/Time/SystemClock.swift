import FoundationEssentials
import Glibc

/// The machine's clocks.
public struct SystemClock: NodeClock {
    /// The clock.
    public init() {}

    public var calendar: UnixTime {
        UnixTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    public var uptime: Duration {
        Self.bootTime + Self.correction
    }

    public var boot: String? {
        Self.bootId
    }

    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }

    /// CLOCK_BOOTTIME goes on while the machine is suspended (clock_gettime(2)).
    private static var bootTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What /proc/uptime says beyond the clock, for runs are compared by it: a process that is shown shifted clocks
    /// (a time namespace, a preloaded library) still counts from the machine's start. Zero where it can not be read.
    private static let correction: Duration = {
        let clock = bootTime
        guard let text = line("/proc/uptime"), let seconds = text.split(separator: " ").first.flatMap({ Double($0) })
        else { return .zero }
        let difference = Duration.seconds(seconds) - clock
        // The file is read to a hundredth of a second.
        return difference > .seconds(1) || difference < .seconds(-1) ? difference : .zero
    }()

    private static let bootId: String? = line("/proc/sys/kernel/random/boot_id")

    private static func line(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
