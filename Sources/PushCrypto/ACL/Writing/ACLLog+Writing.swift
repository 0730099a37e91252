import ProtoWire

extension ACLLog {
    /// Writes a record and judges it as ``check(_:)`` does. The log is as it was: the record is added when it was accepted,
    /// by ``append(_:)`` as it comes from the network, or, without a network, by ``admit(_:)`` at once.
    ///
    /// - Parameters:
    ///   - changes: what the record does, in order; each finds the state after the one before it.
    ///   - author: who writes it; the account whose view this is unless another is given. What the record gives to others
    ///     comes from this view in any case.
    ///   - timestamp: when the record is written, in seconds since 1970.
    /// - Returns: the record, signed by the author and by no acceptor.
    /// - Throws: ``ACLWriteError``.
    public mutating func makeRecord(
        _ changes: [ACLChange], by author: SigningKey? = nil, timestamp: Int64
    ) throws(ACLWriteError) -> RawRecordWithId {
        guard let author = author ?? journal.state.accountKey else { throw .keyUnavailable(.noAccount) }
        var record = ACLRecord()
        record.prevId = WireString(journal.state.head)
        record.identity = author.publicKey.marshalled[...]
        record.data = try contents(of: changes, by: author).marshalled()[...]
        record.timestamp = timestamp
        let signed = RawRecordWithId(RawRecord(signing: record.marshalled(), with: author))
        do throws(ACLError) {
            try check(signed)
        } catch {
            throw .refused(error)
        }
        return signed
    }

    /// Each change is applied for the next one to see, and in the end all are taken back: the record has no id yet.
    private mutating func contents(of changes: [ACLChange], by author: SigningKey) throws(ACLWriteError) -> ACLData {
        defer { journal.rollBack() }
        let origin = ACLOrigin(recordId: "", author: author.publicKey, rules: .new)
        var data = ACLData()
        var needsReadKey = false
        for change in changes {
            let memberCount = journal.state.memberCount
            try add(change, to: &data, origin, author)
            switch change {
            // Who lost its permissions holds the read key, and who got them back does not.
            case .setPermissions: needsReadKey = needsReadKey || journal.state.memberCount != memberCount
            case .remove, .changeReadKey: needsReadKey = false
            default: break
            }
        }
        if needsReadKey { try add(.changeReadKey(ACLKeys()), to: &data, origin, author) }
        return data
    }

    private mutating func add(
        _ change: ACLChange, to data: inout ACLData, _ origin: ACLOrigin, _ author: SigningKey
    ) throws(ACLWriteError) {
        for content in try change.contents(in: journal.state, by: author) {
            let index = data.contents.count
            data.contents.append(content)
            do throws(ACLError.Reason) {
                try journal.apply(content, origin)
            } catch {
                throw .refused(
                    ACLError(
                        recordIndex: journal.state.recordCount, recordId: "", contentIndex: index, reason: error
                    )
                )
            }
        }
    }
}

extension RawRecord {
    /// A record with its author's signature.
    package init(signing payload: [UInt8], with author: SigningKey) {
        self.init()
        self.payload = payload[...]
        signature = author.signature(for: payload)[...]
    }
}
