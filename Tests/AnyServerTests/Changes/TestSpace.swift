import PushCrypto

@testable import AnyServer

/// A space in memory, as its owner sees it.
struct TestSpace {
    let owner = SigningKey()
    let id: String
    private(set) var log: ACLLog
    private(set) var history = WritingHistory()

    init() {
        let header = SpaceHeader(identity: owner.publicKey, timestamp: 1, spaceType: "any.space", replicationKey: 35)
            .signed(by: owner)
        id = header.spaceId
        do {
            let root = try RawRecordWithId.root(
                spaceId: id, account: owner, masterKey: SigningKey(), metadata: [], timestamp: 1
            )
            log = try ACLLog(root: root, account: owner, mode: .full)
        } catch {
            fatalError("no space: \(error)")
        }
        history.append(log)
    }

    mutating func append(_ change: ACLChange) throws {
        try log.admit(try log.makeRecord([change], timestamp: 2))
        history.append(log)
    }

    mutating func add(_ member: SigningKey, _ permissions: ACLPermissions) throws {
        let start: ACLPermissions = permissions == .guest ? .reader : permissions
        try append(.add([ACLChange.NewMember(identity: member.publicKey, permissions: start)]))
        if start != permissions { try append(.setPermissions(of: member.publicKey, to: permissions)) }
    }

    mutating func remove(_ member: SigningKey) throws {
        try append(.remove([member.publicKey], keys: ACLKeys()))
    }

    /// A change as `author` makes it who knows the whole log; the owner unless another is given.
    func change(_ content: ChangeContent, by author: SigningKey? = nil) throws -> SignedChange {
        try SignedChange(content, in: id, log.state, by: author ?? owner)
    }
}
