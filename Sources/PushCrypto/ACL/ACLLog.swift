import ProtoWire

/// The replay of a space's ACL log, record by record, for one account (protocol.md §2).
///
/// ```swift
/// var log = try ACLLog(records: stored, account: accountKey, mode: .network(networkKey: network))
/// try log.append(next)
/// let keys = try log.state.pushKeys()
/// ```
///
/// A record that is refused leaves the log as it was. A record costs in proportion to its own size, whatever the log has
/// grown to.
public struct ACLLog: Sendable {
    /// How records are verified.
    public let mode: ACLVerification

    var journal: ACLJournal
    private var recordIds: Set<String>

    /// What the log says after its last record.
    public var state: ACLState { journal.state }

    /// The positions in ``ACLState/accounts`` of those that the last record changed, each at least once: who follows a log
    /// looks at these and not at everybody.
    package var changedAccounts: [Int] { journal.changedAccounts }

    /// Opens a log by its root.
    ///
    /// - Parameters:
    ///   - root: the first record.
    ///   - account: the key of the account whose view is wanted, member or not; `nil` for a view without keys.
    ///   - mode: how records are verified.
    /// - Throws: ``ACLError``.
    public init(root: RawRecordWithId, account: SigningKey?, mode: ACLVerification) throws(ACLError) {
        do throws(ACLError.Reason) {
            journal = try ACLJournal(root: root, account: account, isChecked: mode == .full)
        } catch {
            throw ACLError(recordIndex: 0, recordId: root.id, reason: error)
        }
        self.mode = mode
        recordIds = [root.id]
    }

    /// Replays a whole log.
    ///
    /// - Parameters:
    ///   - records: every record, the root first.
    ///   - account: the key of the account whose view is wanted, member or not; `nil` for a view without keys.
    ///   - mode: how records are verified.
    /// - Throws: ``ACLError`` for the first record that is refused.
    public init(
        records: some Sequence<RawRecordWithId>, account: SigningKey?, mode: ACLVerification
    ) throws(ACLError) {
        var iterator = records.makeIterator()
        guard let root = iterator.next() else {
            throw ACLError(recordIndex: 0, recordId: "", reason: .rootMissing)
        }
        try self.init(root: root, account: account, mode: mode)
        while let record = iterator.next() { try append(record) }
    }

    /// Adds the next record of a log that others have accepted already: one that was stored, or came from the network.
    ///
    /// A content of a kind that is not known here is skipped, as is an empty record, whoever wrote them. A record that is
    /// still to be accepted is for ``admit(_:)``.
    ///
    /// - Parameter record: the record after ``ACLState/head``.
    /// - Throws: ``ACLError``; the log is as it was.
    public mutating func append(_ record: RawRecordWithId) throws(ACLError) {
        try add(record, mode == .full ? .checked : .trusted, keep: true)
    }

    /// Judges a record that nobody has accepted yet, and adds it: who may do what is checked whatever the mode, the record
    /// must have contents, all of them of known kinds, and there is no acceptor to look at.
    ///
    /// - Parameter record: the record after ``ACLState/head``.
    /// - Throws: ``ACLError``; the log is as it was.
    public mutating func admit(_ record: RawRecordWithId) throws(ACLError) {
        try add(record, .new, keep: true)
    }

    /// Judges a record as ``admit(_:)`` does, and leaves the log as it was.
    ///
    /// - Parameter record: the record after ``ACLState/head``.
    /// - Throws: ``ACLError``.
    public mutating func check(_ record: RawRecordWithId) throws(ACLError) {
        try add(record, .new, keep: false)
    }

    private mutating func add(_ record: RawRecordWithId, _ rules: ACLRules, keep: Bool) throws(ACLError) {
        var contentIndex: Int?
        do throws(ACLError.Reason) {
            guard !recordIds.contains(record.id) else { throw .duplicateRecord }
            let verified = try ACLVerifiedRecord(record, networkKey: rules == .trusted ? networkKey : nil)
            guard verified.prevId.bytes.elementsEqual(journal.state.head.utf8) else {
                throw .wrongPreviousRecord(expected: journal.state.head)
            }
            guard !journal.state.isOneToOne else { throw .oneToOneSpaceIsClosed }
            guard rules != .new || !verified.contents.isEmpty else { throw .noContents }
            let origin = ACLOrigin(recordId: record.id, author: verified.author, rules: rules)
            for (index, content) in verified.contents.enumerated() {
                contentIndex = index
                try journal.apply(content, origin)
            }
        } catch {
            journal.rollBack()
            throw ACLError(
                recordIndex: journal.state.recordCount, recordId: record.id, contentIndex: contentIndex, reason: error
            )
        }
        guard keep else { return journal.rollBack() }
        journal.commit(recordId: record.id)
        recordIds.insert(record.id)
    }

    private var networkKey: PublicKey? {
        guard case .network(let networkKey) = mode else { return nil }
        return networkKey
    }
}
