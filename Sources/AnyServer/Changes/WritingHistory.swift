import PushCrypto

/// Who might write in a space at each record of its ACL log, and which read key was current: what changes are judged
/// by.
///
/// A change names the last record that its author knew. Without a network nobody can tell whether that is the truth, so
/// a member that was removed can still make changes that claim to be from before its removal, sealed with a key of that
/// time; it can make none that claim to be later.
struct WritingHistory: Sendable {
    private struct Switch {
        let record: Int
        let mayWrite: Bool
    }

    private var positions: [String: Int] = [:]
    private var readKeyIds: [String] = []
    private var switches: [PublicKey: [Switch]] = [:]
    // By position in the state's accounts, which only grow.
    private var mayWrite: [Bool] = []

    /// The history of no record.
    init() {}

    /// How many records it has seen.
    var recordCount: Int { readKeyIds.count }

    /// Takes the state after the next record. To be called once for each record, the root's first.
    mutating func append(_ state: ACLState) {
        let record = readKeyIds.count
        positions[state.head] = record
        readKeyIds.append(state.currentReadKeyId)
        for (position, account) in state.accounts.enumerated() {
            let mayWriteNow = account.permissions.mayWrite
            if position == mayWrite.count { mayWrite.append(false) }
            guard mayWrite[position] != mayWriteNow else { continue }
            mayWrite[position] = mayWriteNow
            switches[account.identity, default: []].append(Switch(record: record, mayWrite: mayWriteNow))
        }
    }

    /// Judges a change whose signature was checked.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - spaceId: the space whose history this is.
    /// - Throws: ``ChangeError/wrongSpace(expected:found:)``, ``ChangeError/unknownRecord(_:)``,
    ///   ``ChangeError/wrongReadKey(recordId:)`` or ``ChangeError/mayNotWrite(_:)``.
    func check(_ change: SignedChange, in spaceId: String) throws(ChangeError) {
        guard change.spaceId == spaceId else { throw .wrongSpace(expected: spaceId, found: change.spaceId) }
        guard let record = positions[change.aclHeadId] else { throw .unknownRecord(change.aclHeadId) }
        guard readKeyIds[record] == change.readKeyRecordId else {
            throw .wrongReadKey(recordId: change.readKeyRecordId)
        }
        let last = switches[change.author]?.last { $0.record <= record }
        guard last?.mayWrite == true else { throw .mayNotWrite(change.author) }
    }
}

extension ACLPermissions {
    /// Whether an account with these permissions may change a space's content.
    var mayWrite: Bool { self == .owner || self == .admin || self == .writer }
}
