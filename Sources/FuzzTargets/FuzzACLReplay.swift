import PushCrypto

/// Replays any bytes as an ACL log: records, each behind its length in 4 bytes, big-endian, the root first.
///
/// The log is replayed in both modes as it came, and once more with every record signed anew and put in its place, so that
/// changed bytes get past ids and signatures to what judges contents. A record that is refused must change nothing, and one
/// that is good enough to be admitted must be good enough to be followed.
public func fuzzACLReplay(_ bytes: [UInt8]) {
    let records = ACLFuzzLog.records(in: bytes)
    let account = ACLFuzzLog.accounts[bytes.count % ACLFuzzLog.accounts.count]
    for mode in [ACLVerification.full, .network(networkKey: nil), .network(networkKey: account.publicKey)] {
        replay(records, account, mode) { record, _ in record }
        var signer = ACLFuzzSigner()
        replay(records, account, mode) { signer.signed($0, in: $1) }
    }
}

private func replay(
    _ records: [RawRecordWithId], _ account: SigningKey, _ mode: ACLVerification,
    _ prepare: (RawRecordWithId, ACLState?) -> RawRecordWithId?
) {
    guard let first = records.first.flatMap({ prepare($0, nil) }) else { return }
    guard var log = try? ACLLog(root: first, account: account, mode: mode) else { return }
    for record in records.dropFirst() {
        guard let record = prepare(record, log.state) else { continue }
        let before = log.state
        let isAdmissible = (try? log.check(record)) != nil
        precondition(log.state == before, "judging a record changed the log")
        do {
            try log.append(record)
            precondition(log.state.head == record.id && log.state.recordCount == before.recordCount + 1)
            exercise(log.state)
        } catch {
            precondition(log.state == before, "a refused record changed the log")
            precondition(!isAdmissible || mode != .full, "an admissible record was refused: \(error)")
        }
    }
}

/// Everything that a host asks of a state.
private func exercise(_ state: ACLState) {
    let keys = try? state.pushKeys()
    precondition(keys == nil || state.permissions.isMember, "keys for an account that is no member")
    precondition(state.memberCount == state.members.count)
    precondition(state.currentReadKeyId == state.generations.last?.recordId)
    for account in state.accounts { _ = try? state.metadata(of: account.identity) }
    for account in ACLFuzzLog.accounts { _ = state.readKey(openedBy: account) }
}
