import FoundationEssentials
import PushCrypto
import VectorReplay

/// The ACL log that the story is about: two members, and a read-key rotation as its last record.
struct DemoACL {
    /// Why the log can not be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let caseName = "iii: read key rotated once"

    /// The records before the rotation.
    let records: [RawRecordWithId]
    /// The record that rotates the read key.
    let rotation: RawRecordWithId
    /// The network whose consensus accepted the records.
    let networkKey: PublicKey
    /// Who writes.
    let alice: SigningKey
    /// Who is notified.
    let bob: SigningKey

    /// Reads the log from `acl.json` of a directory with golden vectors.
    init(directory: String) throws {
        let path = directory + "/acl.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(description: "cannot read \(path); name the directory with --vectors")
        }
        let cases = try JSON.parse(data).array("cases")
        guard let vector = cases.first(where: { $0["name"]?.stringValue == Self.caseName }) else {
            throw Failure(description: "\(path) has no case \"\(Self.caseName)\"")
        }
        var records = try vector.array("records").map { try RawRecordWithId(marshalled: $0.hex("rawRecordWithId")) }
        guard let rotation = records.popLast() else { throw Failure(description: "the log in \(path) is empty") }
        self.records = records
        self.rotation = rotation
        networkKey = try PublicKey(rawRepresentation: vector.hex("networkKeyPub"))
        alice = try Self.key(of: "owner", vector)
        bob = try Self.key(of: "bob", vector)
    }

    /// The log as an account sees it before the rotation.
    func log(for account: SigningKey) throws -> ACLLog {
        try ACLLog(records: records, account: account, mode: .network(networkKey: networkKey))
    }

    private static func key(of name: String, _ vector: JSON) throws -> SigningKey {
        guard let view = try vector.array("views").first(where: { $0["name"]?.stringValue == name }) else {
            throw Failure(description: "the log has no member \(name)")
        }
        return try SigningKey(rawRepresentation: view.hex("signKey"))
    }
}
