import ProtoWire
import Testing

@testable import PushCrypto

/// What is checked of a record before its contents: proto, id, acceptor, author signature, prevId.
@Suite struct ACLVerificationTests {
    private let network = ACLVerification.network(networkKey: Cast.network.publicKey)

    /// A record that the network has accepted, with faults.
    private func accepted(
        _ space: TestSpace, data: [UInt8] = [], after previous: String? = nil, by acceptor: SigningKey = Cast.network,
        _ edit: (inout RawRecord) -> Void = { _ in }
    ) throws -> RawRecordWithId {
        let record = space.record(data: data, by: Cast.owner, after: previous)
        var raw = try RawRecord(decoding: record.payload[...])
        raw.acceptorIdentity = acceptor.publicKey.marshalled[...]
        raw.acceptorSignature = acceptor.signature(for: raw.payload)[...]
        raw.acceptorTimestamp = 12
        edit(&raw)
        return RawRecordWithId(raw)
    }

    private func refusal(
        of record: RawRecordWithId, in space: TestSpace, _ mode: ACLVerification
    ) throws -> ACLError.Reason? {
        var log = try space.log(of: Cast.owner, mode)
        let before = log.state
        do throws(ACLError) {
            try log.append(record)
            return nil
        } catch {
            #expect(log.state == before)
            #expect(error.recordIndex == before.recordCount)
            #expect(error.recordId == record.id.prefix(CID.textLength))
            return error.reason
        }
    }

    @Test func acceptedRecordsAreFollowed() throws {
        let space = try TestSpace()
        #expect(try refusal(of: accepted(space), in: space, network) == nil)
        let raw = try accepted(space) { $0.acceptorIdentity = Cast.network.publicKey.rawRepresentation[...] }
        #expect(try refusal(of: raw, in: space, network) == nil)
    }

    @Test func faultsAreFoundInOrder() throws {
        let space = try TestSpace()
        var record = try accepted(space)
        record.payload = [0x0a, 5]
        let truncated = ACLError.Reason.malformed(.rawRecord, .truncated)
        #expect(try refusal(of: record, in: space, network) == truncated)

        var faults: (inout RawRecord) -> Void = { $0.payload = [0x0a, 5] }
        record = try accepted(space, faults)
        #expect(try refusal(of: record, in: space, network) == .malformed(.record, .truncated))

        // All that follows is wrong at once, and put right step by step.
        faults = { raw in
            raw.signature = [1]
            raw.acceptorSignature = [1]
        }
        record = try accepted(space, data: [0x0a, 5], after: "else", by: Cast.outsider, faults)
        #expect(try refusal(of: record, in: space, network) == .malformed(.data, .truncated))

        record = try accepted(space, after: "else", by: Cast.outsider, faults)
        let id = record.id
        record.id = "bafyrei"
        #expect(try refusal(of: record, in: space, network) == .wrongId(expected: CID(of: record.payload)))

        record.id = id
        let expected = ACLError.Reason.acceptorNotNetwork(
            expected: Cast.network.publicKey, found: Cast.outsider.publicKey
        )
        #expect(try refusal(of: record, in: space, network) == expected)

        record = try accepted(space, after: "else", faults)
        #expect(try refusal(of: record, in: space, network) == .acceptorSignatureInvalid)

        record = try accepted(space, after: "else") { $0.signature = [1] }
        #expect(try refusal(of: record, in: space, network) == .signatureInvalid(.signature))

        record = try accepted(space, after: "else")
        let head = space.state.head
        #expect(try refusal(of: record, in: space, network) == .wrongPreviousRecord(expected: head))
    }

    @Test func theAcceptorMustBeAKey() throws {
        let space = try TestSpace()
        let missing = space.record(data: [], by: Cast.owner)
        let reason = ACLError.Reason.acceptorUnreadable(.wrongLength(expected: 32, found: 0))
        #expect(try refusal(of: missing, in: space, network) == reason)
        for mode in [ACLVerification.network(networkKey: nil), .full] {
            #expect(try refusal(of: missing, in: space, mode) == nil)
        }
        let nonPoint = [2] + [UInt8](repeating: 0, count: 31)
        let record = try accepted(space) { $0.acceptorIdentity = nonPoint[...] }
        #expect(try refusal(of: record, in: space, network) == .acceptorUnreadable(.notACurvePoint))
    }

    @Test func theAuthorMustBeAKey() throws {
        let space = try TestSpace()
        let nonPoint = [0x12, 0x20, 2] + [UInt8](repeating: 0, count: 31)
        let cases: [([UInt8], KeyError)] = [
            (nonPoint, .notACurvePoint), ([], .wrongLength(expected: 32, found: 0)),
            ([0x08, 0x01], .wrongType(expected: .ed25519Public, found: 1)),
        ]
        for (identity, error) in cases {
            var signed = ACLRecord()
            signed.prevId = WireString(space.state.head)
            signed.identity = identity[...]
            let record = RawRecordWithId(RawRecord(signing: signed.marshalled(), with: Cast.owner))
            #expect(try refusal(of: record, in: space, .full) == .keyUnreadable(.identity, error))
        }
    }

    @Test func aRecordIsAddedOnce() throws {
        var space = try TestSpace()
        let root = space.records[0]
        #expect(try refusal(of: root, in: space, .full) == .duplicateRecord)
        try space.write(.inviteToAsk(key: Cast.outsider.publicKey), by: Cast.owner)
        for mode in [ACLVerification.full, .network(networkKey: nil)] {
            #expect(try refusal(of: space.records[1], in: space, mode) == .duplicateRecord)
        }
    }

    @Test func errorsSayWhereAndWhat() throws {
        let space = try TestSpace()
        var log = space.log
        let record = space.record([.unknown, .unknown], by: Cast.owner)
        do throws(ACLError) {
            try log.check(record)
            Issue.record("an unknown content was accepted")
        } catch {
            #expect(error == ACLError(recordIndex: 1, recordId: record.id, contentIndex: 0, reason: .unknownContent))
            #expect(error.description.hasPrefix("ACL record 1 (\(record.id)), content 0: a new record"))
        }
        let long = RawRecordWithId(payload: [], id: String(repeating: "x", count: 4096))
        do throws(ACLError) {
            try log.append(long)
            Issue.record("a record without anything was accepted")
        } catch {
            #expect(error.recordId.count == CID.textLength)
        }
    }
}
