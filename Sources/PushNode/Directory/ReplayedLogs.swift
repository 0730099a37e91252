import PushCrypto

/// The replayed ACL logs that are kept to be continued: a bounded number of records in all, least recently used first
/// out.
struct ReplayedLogs: Sendable {
    private struct Entry {
        let log: ACLLog
        let lastUse: UInt64
    }

    private let recordLimit: Int
    private var entries: [String: Entry] = [:]
    private var recordCount = 0
    private var uses: UInt64 = 0

    /// Keeps nothing yet.
    ///
    /// - Parameter recordLimit: the records of all logs together; a log that is longer by itself is not kept.
    init(recordLimit: Int) {
        self.recordLimit = recordLimit
    }

    /// How many logs are kept.
    var count: Int { entries.count }

    /// Hands a log out, so that it has one owner and is continued in place.
    mutating func take(_ spaceId: String) -> ACLLog? {
        guard let entry = entries.removeValue(forKey: spaceId) else { return nil }
        recordCount -= entry.log.state.recordCount
        return entry.log
    }

    /// Keeps a log, in place of one that is kept of the space.
    mutating func put(_ log: ACLLog, for spaceId: String) {
        _ = take(spaceId)
        uses += 1
        entries[spaceId] = Entry(log: log, lastUse: uses)
        recordCount += log.state.recordCount
        while recordCount > recordLimit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            _ = take(oldest.key)
        }
    }
}
