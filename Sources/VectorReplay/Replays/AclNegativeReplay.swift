import PushCrypto

/// A log of acl.json that fails at a record, or says that it does not.
struct AclNegativeReplay {
    private let vector: JSON

    init(_ vector: JSON) {
        self.vector = vector
    }

    func replay() throws {
        let records = try vector.aclRecords()
        let account = try SigningKey(rawRepresentation: vector.hex("viewerSignKey"))
        let mode = try mode()
        var log: ACLLog?
        for (index, record) in records.enumerated() {
            do throws(ACLError) {
                if log == nil {
                    log = try ACLLog(root: record, account: account, mode: mode)
                } else {
                    try log?.append(record)
                }
            } catch {
                try expect(index, equals: expectedIndex(records, log), "failsAtRecord (\(error))")
                try expect(error.recordIndex, equals: index, "the error's record")
                try expectKind(of: error.reason)
                return try expectUntouched(log, by: record, after: records[..<index], account, mode)
            }
        }
        let expected = try expectedIndex(records, log)
        try expect(expected == nil, "failsAtRecord: expected \(expected ?? 0), but every record was accepted")
    }

    private func mode() throws -> ACLVerification {
        switch try vector.string("verifier") {
        case "network": .network(networkKey: try PublicKey(rawRepresentation: vector.hex("networkKeyPub")))
        case "full": .full
        case let verifier: throw VectorMismatch("unknown verifier \(verifier)")
        }
    }

    // The reference adds records to a one-to-one list by mistake, and refuses the same list when it opens it as a whole.
    private func expectedIndex(_ records: [RawRecordWithId], _ log: ACLLog?) throws -> Int? {
        if let index = vector["failsAtRecord"] {
            guard let index = index.intValue else { throw VectorMismatch("failsAtRecord is no number") }
            return index
        }
        return log?.state.isOneToOne == true && records.count > 1 && vector["buildError"] != nil ? 1 : nil
    }

    /// The log is what it was, and says the same when it is asked again.
    private func expectUntouched(
        _ log: ACLLog?, by record: RawRecordWithId, after earlier: ArraySlice<RawRecordWithId>,
        _ account: SigningKey, _ mode: ACLVerification
    ) throws {
        guard var log else { return }
        let fresh = try ACLLog(records: earlier, account: account, mode: mode)
        try expect(log.state == fresh.state, "the state after the failure is the state before it")
        try expectError("the record once more") { try log.append(record) }
    }

    /// The reference's words say what it found wrong, which must be what was found here.
    private func expectKind(of reason: ACLError.Reason) throws {
        guard let text = vector["error"]?.stringValue else { return }
        guard let known = Self.kinds.first(where: { text.contains($0.text) }) else { return }
        try expect(known.matches(reason), "error: expected one for \"\(text)\", found \"\(reason)\"")
    }

    private static let kinds: [(text: String, matches: @Sendable (ACLError.Reason) -> Bool)] = [
        ("signature is invalid", { if case .signatureInvalid = $0 { true } else { false } }),
        ("failed to verify acceptor", { $0 == .acceptorSignatureInvalid }),
        ("failed to get acceptor identity", { if case .acceptorUnreadable = $0 { true } else { false } }),
        ("is not the network key", { if case .acceptorNotNetwork = $0 { true } else { false } }),
        ("incorrect CID", { if case .wrongId = $0 { true } else { false } }),
        ("incorrect prev id", { if case .wrongPreviousRecord = $0 { true } else { false } }),
        ("record already exists", { $0 == .duplicateRecord }),
        ("unexpected EOF", { if case .malformed = $0 { true } else { false } }),
        ("wrong wireType", { if case .malformed = $0 { true } else { false } }),
        ("failed to decrypt key", { if case .cannotDecrypt = $0 { true } else { false } }),
        ("incorrect read key", { if case .missing = $0 { true } else { false } }),
        ("Owner pubkey != derived pubkey", { if case .ownerNotShared = $0 { true } else { false } }),
        ("Owner is empty", { $0 == .ownerMissing }),
        ("exactly two Writers", { if case .wrongNumberOfWriters = $0 { true } else { false } }),
        ("error Unmarshal", { if case .keyUnreadable = $0 { true } else { false } }),
        (
            "insufficient permissions",
            { reason in
                switch reason {
                case .notAllowed, .permissionsNotAllowed, .accountNotAllowed: true
                default: false
                }
            }
        ),
        (
            "incorrect number of accounts",
            { reason in
                switch reason {
                case .wrongAccountKeys, .wrongInviteKeys, .noSuchAccount, .duplicateAccount: true
                default: false
                }
            }
        ),
    ]
}
