import ProtoWire

@testable import PushCrypto

/// The people of the tests.
enum Cast {
    static let owner = key("owner")
    static let master = key("master")
    static let admin = key("admin")
    static let deputy = key("deputy")
    static let writer = key("writer")
    static let reader = key("reader")
    static let guest = key("guest")
    static let leaver = key("leaver")
    static let removed = key("removed")
    static let pending = key("pending")
    static let outsider = key("outsider")
    static let network = key("network")

    static func key(_ name: String) -> SigningKey {
        SigningKey(checkedSeed: Digest.sha256(name.utf8))
    }
}

/// A log that is written by its members, without a network.
struct TestSpace {
    private(set) var records: [RawRecordWithId]
    /// The owner's view.
    private(set) var log: ACLLog

    init(owner: SigningKey = Cast.owner, keys: ACLKeys = ACLKeys()) throws {
        let root = try RawRecordWithId.root(
            spaceId: "space", account: owner, masterKey: Cast.master, metadata: Array("owner".utf8), keys: keys,
            timestamp: 1
        )
        records = [root]
        log = try ACLLog(root: root, account: owner, mode: .full)
    }

    var state: ACLState { log.state }

    /// The view of any account.
    func log(of account: SigningKey?, _ mode: ACLVerification = .full) throws(ACLError) -> ACLLog {
        try ACLLog(records: records, account: account, mode: mode)
    }

    func state(of account: SigningKey?, _ mode: ACLVerification = .full) throws(ACLError) -> ACLState {
        try log(of: account, mode).state
    }

    /// Adds a record that an account makes from its own view.
    @discardableResult
    mutating func write(_ changes: ACLChange..., by author: SigningKey) throws -> String {
        var view = try log(of: author)
        let record = try view.makeRecord(changes, timestamp: Int64(records.count))
        try add(record)
        return record.id
    }

    mutating func add(_ record: RawRecordWithId) throws {
        try log.admit(record)
        records.append(record)
    }

    /// A signed record with any contents, after the last one.
    func record(_ contents: [ACLContent], by author: SigningKey) -> RawRecordWithId {
        var data = ACLData()
        data.contents = contents
        return record(data: data.marshalled(), by: author)
    }

    func record(data: [UInt8], by author: SigningKey, after previous: String? = nil) -> RawRecordWithId {
        var record = ACLRecord()
        record.prevId = WireString(previous ?? state.head)
        record.identity = author.publicKey.marshalled[...]
        record.data = data[...]
        record.timestamp = 9
        return RawRecordWithId(RawRecord(signing: record.marshalled(), with: author))
    }

    /// Why a new record with this content is refused; `nil` when it is not.
    func refusal(of content: ACLContent, by author: SigningKey) -> ACLError.Reason? {
        var view = log
        do throws(ACLError) {
            try view.check(record([content], by: author))
            return nil
        } catch {
            return error.reason
        }
    }
}

/// A space with everybody in it, an invite of each kind, and open requests.
struct FullHouse: Sendable {
    static let shared = try? FullHouse()

    let space: TestSpace
    let askKey = Cast.key("invite to ask")
    let openKey = Cast.key("open invite")
    let askId: String
    let openId: String
    let joinRequestId: String
    let leaveRequestId: String

    private init() throws {
        var space = try TestSpace()
        try space.write(
            .add([
                .init(identity: Cast.admin.publicKey, permissions: .admin),
                .init(identity: Cast.deputy.publicKey, permissions: .admin),
                .init(identity: Cast.writer.publicKey, permissions: .writer),
                .init(identity: Cast.reader.publicKey, permissions: .reader),
                .init(identity: Cast.guest.publicKey, permissions: .guest),
                .init(identity: Cast.leaver.publicKey, permissions: .writer),
                .init(identity: Cast.removed.publicKey, permissions: .writer),
            ]),
            by: Cast.owner
        )
        try space.write(.remove([Cast.removed.publicKey], keys: ACLKeys()), by: Cast.admin)
        askId = try space.write(.inviteToAsk(key: askKey.publicKey), by: Cast.owner)
        openId = try space.write(.invite(key: openKey.publicKey, permissions: .writer), by: Cast.admin)
        joinRequestId = try space.write(.askToJoin(inviteKey: askKey, metadata: []), by: Cast.pending)
        leaveRequestId = try space.write(.askToLeave, by: Cast.leaver)
        self.space = space
    }
}
