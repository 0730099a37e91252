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

    /// Takes the log with its next record. To be called once for each record, the root's first. It looks at the accounts
    /// that the record changed, and at no others.
    mutating func append(_ log: ACLLog) {
        let record = readKeyIds.count
        positions[log.state.head] = record
        readKeyIds.append(log.state.currentReadKeyId)
        mayWrite.append(contentsOf: repeatElement(false, count: log.state.accounts.count - mayWrite.count))
        for position in log.changedAccounts {
            let account = log.state.accounts[position]
            let mayWriteNow = account.permissions.mayWrite
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
        guard Self.mayWrite(at: record, switches[change.author] ?? []) else { throw .mayNotWrite(change.author) }
    }

    // The last switch up to the record, found by halving: an account may have as many as there are records.
    private static func mayWrite(at record: Int, _ switches: [Switch]) -> Bool {
        var (low, high) = (0, switches.count)
        while low < high {
            let middle = (low + high) / 2
            if switches[middle].record <= record { low = middle + 1 } else { high = middle }
        }
        return low > 0 && switches[low - 1].mayWrite
    }
}

extension ACLPermissions {
    /// Whether an account with these permissions may change a space's content.
    var mayWrite: Bool { self == .owner || self == .admin || self == .writer }
}
