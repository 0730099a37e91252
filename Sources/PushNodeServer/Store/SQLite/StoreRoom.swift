import Glibc
import SQLiteStorage

/// Whether a store may take anything new, as it was after the last commit.
struct StoreRoom {
    private let limits: StoreLimits
    private let path: String
    /// Whether nothing new may be taken.
    private(set) var isFull = false

    /// - Parameter path: the store's file.
    init(_ limits: StoreLimits, path: String) {
        self.limits = limits
        self.path = path
    }

    /// Looks again.
    mutating func update(_ connection: SQLiteConnection) {
        isFull = usedBytes(connection) >= limits.bytes || freeBytes < limits.freeDiskBytes
    }

    // Pages that deletions have freed are in the file and will be used first. When that cannot be read, the next change
    // will say why.
    private func usedBytes(_ connection: SQLiteConnection) -> Int {
        let pages = (try? connection.first("PRAGMA page_count") { Int($0.integer(0)) }) ?? 0
        let free = (try? connection.first("PRAGMA freelist_count") { Int($0.integer(0)) }) ?? 0
        return (pages - free) * 4096
    }

    private var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return .max }
        let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }
}
