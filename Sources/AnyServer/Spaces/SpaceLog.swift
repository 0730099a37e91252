import PushCrypto

/// A space's ACL log, replayed, with what changes of the space's content are judged by.
struct SpaceLog: Sendable {
    private(set) var log: ACLLog
    /// Who might write when.
    private(set) var history = WritingHistory()
    /// How many bytes its records have.
    private(set) var byteCount = 0
    // By the record that made it, the last one where it made several.
    private var generations: [String: Int] = [:]

    var state: ACLState { log.state }

    /// Opens a log by its root. Without a network there is no acceptor, so every record is verified in full.
    ///
    /// - Parameters:
    ///   - root: the first record.
    ///   - account: the account whose view it is.
    init(root: RawRecordWithId, account: SigningKey) throws(ACLError) {
        log = try ACLLog(root: root, account: account, mode: .full)
        follow(root)
    }

    /// Adds a record that was stored: it was judged before.
    mutating func append(_ record: RawRecordWithId) throws(ACLError) {
        try log.append(record)
        follow(record)
    }

    /// Judges a record that is new here and adds it.
    mutating func admit(_ record: RawRecordWithId) throws(ACLError) {
        try log.admit(record)
        follow(record)
    }

    private mutating func follow(_ record: RawRecordWithId) {
        history.append(log)
        byteCount += record.payload.count
        generations[log.state.currentReadKeyId] = log.state.generations.count - 1
    }

    /// Writes a record of the account's own and adds it.
    mutating func write(_ changes: [ACLChange], timestamp: Int64) throws(ACLWriteError) -> RawRecordWithId {
        let record = try log.makeRecord(changes, timestamp: timestamp)
        do throws(ACLError) { try admit(record) } catch { throw .refused(error) }
        return record
    }

    /// The read key that a record made, when the account has it.
    func readKey(_ recordId: String) -> SymmetricKey? {
        generations[recordId].flatMap { state.generations[$0].readKey }
    }
}
