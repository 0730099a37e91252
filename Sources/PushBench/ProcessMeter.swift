import FoundationEssentials
import Glibc

/// What the system counts of another process.
struct ProcessMeter: Sendable {
    /// One look.
    struct Reading: Sendable {
        /// CPU time of all threads, in nanoseconds.
        let cpuTime: Double
        /// How often threads that live now left their cores, on their own account or not.
        let switches: Int
    }

    private let pid: pid_t

    init(_ pid: pid_t) {
        self.pid = pid
    }

    func reading() throws -> Reading {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else {
            throw Holder.Failure(description: "the second process has no clock")
        }
        var switches = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            // A thread may have ended since.
            let status = (try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)) ?? ""
            for line in status.split(separator: "\n") where line.contains("voluntary_ctxt_switches") {
                switches += line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
            }
        }
        return Reading(cpuTime: Meter.read(clock), switches: switches)
    }

    func residentBytes() throws -> Double {
        let fields = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
        let pages = fields.count > 1 ? Double(fields[1]) ?? .nan : .nan
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}
