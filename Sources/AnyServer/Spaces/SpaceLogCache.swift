import PushCrypto

/// The logs that were replayed last, so that a space in use is replayed once.
struct SpaceLogCache: Sendable {
    private struct Entry {
        let log: SpaceLog
        let weight: Int
        var lastUse: UInt64
    }

    /// How many logs are held at most. A log of a few members takes some ten kilobytes.
    static let capacity = 256
    /// How many records and accounts all of them have at most, each of which takes about 250 bytes. The log that was used
    /// last is held whatever it has.
    static let weightLimit = 131_072

    private let weightLimit: Int
    private var entries: [String: Entry] = [:]
    private var weight = 0
    private var uses: UInt64 = 0

    /// - Parameter weightLimit: ``weightLimit`` unless told.
    init(weightLimit: Int = weightLimit) {
        self.weightLimit = weightLimit
    }

    /// How many logs are held.
    var count: Int { entries.count }

    subscript(spaceId: String) -> SpaceLog? {
        mutating get {
            uses += 1
            entries[spaceId]?.lastUse = uses
            return entries[spaceId]?.log
        }
    }

    mutating func insert(_ log: SpaceLog, for spaceId: String) {
        remove(spaceId)
        uses += 1
        let entry = Entry(log: log, weight: log.state.recordCount + log.state.accounts.count, lastUse: uses)
        entries[spaceId] = entry
        weight += entry.weight
        while entries.count > Self.capacity || weight > weightLimit && entries.count > 1 {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
            remove(oldest.key)
        }
    }

    mutating func remove(_ spaceId: String) {
        guard let entry = entries.removeValue(forKey: spaceId) else { return }
        weight -= entry.weight
    }
}
