import PushCrypto

/// A space's ACL log, replayed, with what changes of the space's content are judged by.
struct SpaceLog: Sendable {
    private(set) var log: ACLLog
    /// Who might write when.
    private(set) var history = WritingHistory()

    var state: ACLState { log.state }

    /// Opens a log by its root. Without a network there is no acceptor, so every record is verified in full.
    ///
    /// - Parameters:
    ///   - root: the first record.
    ///   - account: the account whose view it is.
    init(root: RawRecordWithId, account: SigningKey) throws(ACLError) {
        log = try ACLLog(root: root, account: account, mode: .full)
        history.append(log.state)
    }

    /// Adds a record that was stored: it was judged before.
    mutating func append(_ record: RawRecordWithId) throws(ACLError) {
        try log.append(record)
        history.append(log.state)
    }

    /// Judges a record that is new here and adds it.
    mutating func admit(_ record: RawRecordWithId) throws(ACLError) {
        try log.admit(record)
        history.append(log.state)
    }

    /// Writes a record of the account's own and adds it.
    mutating func write(_ changes: [ACLChange], timestamp: Int64) throws(ACLWriteError) -> RawRecordWithId {
        let record = try log.makeRecord(changes, timestamp: timestamp)
        do throws(ACLError) { try admit(record) } catch { throw .refused(error) }
        return record
    }

    /// The read key that a record made, when the account has it.
    func readKey(_ recordId: String) -> SymmetricKey? {
        state.generations.last { $0.recordId == recordId }?.readKey
    }
}

/// The logs that were replayed last, so that a space in use is replayed once.
struct SpaceLogCache: Sendable {
    /// How many logs are held at most. A log of a few members takes some ten kilobytes.
    static let capacity = 256

    private var cache = BoundedCache<String, SpaceLog>(capacity: capacity)

    subscript(spaceId: String) -> SpaceLog? {
        mutating get { cache.value(for: spaceId) }
    }

    mutating func insert(_ log: SpaceLog, for spaceId: String) {
        cache.insert(log, for: spaceId)
    }

    mutating func remove(_ spaceId: String) {
        cache.remove(spaceId)
    }
}
