import FoundationEssentials
import Glibc

/// The memory of a process as the kernel counts it.
struct ProcessMemory: Sendable {
    let process: pid_t

    init(of process: pid_t) {
        self.process = process
    }

    /// What it has now, in MiB; 0 when it is gone.
    var resident: Double { megabytes("VmRSS:") }
    /// The most that it had since ``forgetPeak()``, in MiB.
    var peak: Double { megabytes("VmHWM:") }

    /// Has the kernel count the peak from now on (proc(5), "clear_refs").
    func forgetPeak() {
        let file = open("/proc/\(process)/clear_refs", O_WRONLY)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    private func megabytes(_ name: String) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count > 1 ? (Double(words[1]) ?? 0) / 1024 : 0
        }
        return 0
    }
}
