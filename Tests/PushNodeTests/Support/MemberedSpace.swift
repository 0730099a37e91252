import Locks
import PushCrypto
import PushNode

/// A space whose members write a real ACL log, without a network. Every member's directory reads the same log.
final class MemberedSpace: Sendable {
    let id: String
    let owner: SigningKey
    private let state: SystemLock<(log: ACLLog, records: [RawRecordWithId])>

    init(owner: SigningKey, id: String? = nil) throws {
        let header = SpaceHeader(
            identity: owner.publicKey, timestamp: 1, spaceType: "any.space", replicationKey: 1
        ).signed(by: owner)
        self.id = id ?? header.spaceId
        self.owner = owner
        let root = try RawRecordWithId.root(
            spaceId: self.id, account: owner, masterKey: SigningKey(), metadata: [], timestamp: 1
        )
        state = SystemLock((try ACLLog(root: root, account: owner, mode: .full), [root]))
    }

    var records: [RawRecordWithId] { state.withLock { $0.records } }

    /// Adds a record of the owner's.
    func write(_ changes: ACLChange...) throws {
        try state.withLock { state in
            let record = try state.log.makeRecord(changes, timestamp: Int64(state.records.count + 1))
            try state.log.admit(record)
            state.records.append(record)
        }
    }

    func add(_ member: SigningKey) throws {
        try write(.add([.init(identity: member.publicKey, permissions: .writer)]))
    }

    func remove(_ member: SigningKey) throws { try write(.remove([member.publicKey], keys: ACLKeys())) }

    func rotate() throws { try write(.changeReadKey(ACLKeys())) }

    /// Puts a record after the log that nobody judged.
    func force(_ record: RawRecordWithId) { state.withLock { $0.records.append(record) } }

    func truncate(to count: Int) { state.withLock { $0.records.removeLast($0.records.count - count) } }

    /// The keys as the owner has them.
    var keys: SpacePushKeys {
        get throws { try state.withLock { try $0.log.state.pushKeys() } }
    }
}
