import PushCrypto

/// How far the log of a space grows here, by what is imported and by what is written. A log that was stored before stays
/// as it is.
struct SpaceLogLimits: Hashable, Sendable {
    /// Something that a log has a bounded number of.
    enum Measure: String, Hashable, Sendable, CaseIterable {
        case accounts, records, bytes
    }

    /// The accounts that it names, members or not: four times as many as it has members at most.
    var accounts = 16_384
    /// The records. Each costs the check of a signature whenever a log is replayed.
    var records = 65_536
    /// The bytes of all records: some 250 rotations of a space with as many members as there can be.
    var bytes = 128 * 1024 * 1024

    /// Checks a log that has come to its end for now.
    ///
    /// - Throws: ``SpaceError/logTooLarge(_:limit:)``.
    func check(_ log: SpaceLog) throws(SpaceError) {
        guard log.state.accounts.count <= accounts else { throw .logTooLarge(.accounts, limit: accounts) }
        guard log.state.recordCount <= records else { throw .logTooLarge(.records, limit: records) }
        guard log.byteCount <= bytes else { throw .logTooLarge(.bytes, limit: bytes) }
    }
}
