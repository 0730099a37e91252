import FoundationEssentials
import TestSupport
import Testing
import VectorReplay

@testable import PushCrypto

/// Logs of the golden vectors, cut short and changed bit by bit: nothing crashes, and what is refused changes nothing.
@Suite struct ACLHostileTests {
    @Test func theLogsAreThere() {
        #expect(vectorLogs.count >= 20)
    }

    /// Offers a record to a log that ends before it, in both modes.
    private func offer(
        _ record: RawRecordWithId, after earlier: [ACLLog], location: SourceLocation = #_sourceLocation
    ) {
        for log in earlier {
            var log = log
            let before = log.state
            do {
                try log.append(record)
                #expect(log.state.head == record.id, sourceLocation: location)
            } catch {
                #expect(log.state == before, sourceLocation: location)
            }
        }
    }

    private func logs(_ log: VectorLog, upTo index: Int, _ account: SigningKey?) throws -> [ACLLog] {
        try [ACLVerification.full, .network(networkKey: nil)].map { mode in
            try ACLLog(records: log.records[..<index], account: account, mode: mode)
        }
    }

    @Test(arguments: vectorLogs) func damagedRecords(_ log: VectorLog) throws {
        for index in log.records.indices.dropFirst().suffix(3) {
            let earlier = try logs(log, upTo: index, log.accounts.last)
            let record = log.records[index]
            for position in stride(from: index % 17, to: record.payload.count, by: 17) {
                let cut = Array(record.payload[..<position])
                offer(RawRecordWithId(payload: cut, id: CID(of: cut).text), after: earlier)
                var flipped = record
                flipped.payload[position] ^= 1 << (position % 8)
                offer(flipped, after: earlier)
                flipped.id = CID(of: flipped.payload).text
                offer(flipped, after: earlier)
            }
        }
    }

    /// Contents behind a good signature, as a member with bad intent writes them.
    @Test(arguments: vectorLogs) func damagedContents(_ log: VectorLog) throws {
        for index in log.records.indices.dropFirst().suffix(2) {
            let original = try ACLRecord(decoding: RawRecord(decoding: log.records[index].payload[...]).payload)
            guard let author = log.key(of: try ACLIdentity.unchecked(original.identity)) else { continue }
            let earlier = try logs(log, upTo: index, log.accounts.first) + logs(log, upTo: index, log.accounts.last)
            let sign = { (data: [UInt8]) in
                var record = original
                record.data = data[...]
                return RawRecordWithId(RawRecord(signing: record.marshalled(), with: author))
            }
            let data = Array(original.data)
            for position in stride(from: index % 19, to: data.count, by: 19) {
                offer(sign(Array(data[..<position])), after: earlier)
                var flipped = data
                flipped[position] ^= 1 << (position % 8)
                offer(sign(flipped), after: earlier)
            }
        }
    }

    @Test(arguments: vectorLogs) func damagedRoots(_ log: VectorLog) throws {
        let root = log.records[0]
        for position in stride(from: 0, to: root.payload.count, by: 13) {
            var flipped = root
            flipped.payload[position] ^= 1 << (position % 8)
            flipped.id = CID(of: flipped.payload).text
            for account in [log.accounts.first, nil] {
                for mode in [ACLVerification.full, .network(networkKey: nil)] {
                    #expect(throws: ACLError.self) { try ACLLog(root: flipped, account: account, mode: mode) }
                }
            }
        }
    }
}

/// A log of acl.json.
struct VectorLog: Sendable, CustomTestStringConvertible {
    let name: String
    let records: [RawRecordWithId]
    let accounts: [SigningKey]

    var testDescription: String { name }

    /// The private key of an author.
    func key(of identity: PublicKey) -> SigningKey? {
        accounts.first { $0.publicKey == identity }
    }
}

private let vectorLogs: [VectorLog] = {
    guard
        let data = try? Data(contentsOf: Repository.vectors.appendingPathComponent("acl.json")),
        let cases = try? JSON.parse(data).array("cases")
    else { return [] }
    return cases.compactMap { vector in
        guard vector["kind"]?.stringValue == "state" else { return nil }
        return try? VectorLog(
            name: vector.string("name"),
            records: vector.array("records").map { record in
                try RawRecordWithId(payload: record.hex("payload"), id: record.string("id"))
            },
            accounts: vector.array("views").map { try SigningKey(rawRepresentation: $0.hex("signKey")) }
        )
    }
}()
