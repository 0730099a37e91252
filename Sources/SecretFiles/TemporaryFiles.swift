import Synchronization

/// The names of the temporary files that writes go through, `.<name>.<pid>-<process>-<number>.tmp`.
enum TemporaryFiles {
    private static let suffix = ".tmp"
    // A process id comes back, in a container even at once, so the process has a name of its own beside it.
    private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let number = Atomic<UInt64>(0)

    /// A name beside `path` that no other write uses.
    static func nextName(for path: String) -> String {
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        return Paths.join(
            Paths.folder(of: path), prefix(for: path) + "\(SystemCalls.processId)-\(process)-\(number)" + suffix)
    }

    /// Removes what processes that are gone have left beside `path`: it may hold a secret.
    ///
    /// Best effort, since a file that can not be removed does no harm to the write that comes.
    static func removeLeftovers(of path: String) {
        remove(of: path) { pid, process in isGone(pid, process) }
    }

    /// Removes everybody's temporary files for `path`, as best as it can.
    static func removeAll(of path: String) {
        remove(of: path) { _, _ in true }
    }

    /// Whether a write through a temporary file for `path` is under way, or was killed.
    static func exist(of path: String) -> Bool {
        let prefix = prefix(for: path)
        return ((try? Folder.names(in: Paths.folder(of: path))) ?? []).contains {
            $0.hasPrefix(prefix) && $0.hasSuffix(suffix)
        }
    }

    private static func remove(of path: String, where isUseless: (_ pid: Int32, _ process: Substring) -> Bool) {
        let folder = Paths.folder(of: path)
        let prefix = prefix(for: path)
        for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let owner = name.dropFirst(prefix.count).dropLast(suffix.count).split(separator: "-")
            guard owner.count == 3, let pid = Int32(owner[0]), pid > 0, isUseless(pid, owner[1]) else { continue }
            try? SystemCalls.removeName(Paths.join(folder, name))
        }
    }

    private static func prefix(for path: String) -> String {
        ".\(Paths.name(of: path))."
    }

    private static func isGone(_ pid: Int32, _ owner: Substring) -> Bool {
        pid == SystemCalls.processId ? owner != process : SystemCalls.isGone(processId: pid)
    }
}
