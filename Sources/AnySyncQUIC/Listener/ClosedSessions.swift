internal import AnySyncWire

/// The last words of sessions that this side has closed, for peers that have not heard them: kept for a while, told
/// more and more rarely, and only so many.
struct ClosedSessions {
    private struct Entry {
        let farewell: [UInt8]
        let ids: [ConnectionId]
        let until: MonotonicTime
        var asked = 0
    }

    private var entries: [UInt64: Entry] = [:]
    private var byId: [ConnectionId: UInt64] = [:]
    private var nextEntry: UInt64 = 0
    private var oldest: UInt64 = 0

    /// Above the number of sessions that end within a second or so on a busy node.
    private static let maximum = 1024

    /// Keeps a session's last words.
    mutating func add(_ farewell: [UInt8], for ids: [ConnectionId], until: MonotonicTime, now: MonotonicTime) {
        // Lifetimes differ little, so the oldest are the first to end.
        while let entry = entries[oldest], entry.until <= now || entries.count >= Self.maximum { removeOldest() }
        entries[nextEntry] = Entry(farewell: farewell, ids: ids, until: until)
        for id in ids { byId[id] = nextEntry }
        nextEntry += 1
    }

    /// Whether datagrams to this id are for a session that was closed.
    func contains(_ id: ConnectionId) -> Bool {
        byId[id] != nil
    }

    /// What to answer to a datagram to this id, if anything.
    ///
    /// - Parameter size: the datagram's; an answer is at most three times as large.
    mutating func answer(to id: ConnectionId, size: Int, now: MonotonicTime) -> [UInt8]? {
        guard let key = byId[id], var entry = entries[key] else { return nil }
        entry.asked += 1
        entries[key] = entry
        // After 1, 2, 4, 8 … datagrams, so that two sides do not talk for ever.
        guard entry.until > now, entry.asked.nonzeroBitCount == 1, entry.farewell.count <= 3 * size else { return nil }
        return entry.farewell
    }

    private mutating func removeOldest() {
        if let entry = entries.removeValue(forKey: oldest) {
            for id in entry.ids where byId[id] == oldest { byId[id] = nil }
        }
        oldest += 1
    }
}
