import FoundationEssentials
import Glibc

/// A moment of one run of the machine, by a clock that goes on while the machine sleeps and that nobody sets: what passed
/// between two of them really passed, also over a restart of the process.
package struct MachineMoment: Hashable, Sendable {
    /// The time since the machine started, time asleep included.
    package let uptime: Duration
    /// Names the machine's run that ``uptime`` counts from; `nil` when that is not known.
    package let boot: String?

    /// A moment; see the properties.
    package init(uptime: Duration, boot: String?) {
        self.uptime = uptime
        self.boot = boot
    }

    /// This moment.
    package static var now: MachineMoment {
        MachineMoment(uptime: bootTime + correction, boot: bootId)
    }

    /// What passed until a later moment; `nil` when that is not known, for over a restart of the machine only the calendar
    /// tells, and calendars are set.
    package func elapsed(to later: MachineMoment) -> Duration? {
        guard let boot, boot == later.boot, later.uptime >= uptime else { return nil }
        return later.uptime - uptime
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
