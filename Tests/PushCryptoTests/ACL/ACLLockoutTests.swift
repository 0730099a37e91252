import Testing

@testable import PushCrypto

/// Keys that do not open: by the rules of the log everybody takes the same records, and who was not given a key says so.
@Suite struct ACLLockoutTests {
    private let start: TestSpace
    private static let everybody: [SigningKey?] = [Cast.owner, Cast.admin, Cast.writer, Cast.outsider, nil]

    init() throws {
        var space = try TestSpace()
        try space.write(
            .add([
                .init(identity: Cast.admin.publicKey, permissions: .admin),
                .init(identity: Cast.writer.publicKey, permissions: .writer),
            ]), by: Cast.owner
        )
        start = space
    }

    /// A rotation as the admin makes it with bad intent.
    private func rotateBadly(
        _ space: inout TestSpace, _ edit: (inout ACLContent.ReadKeyChange) throws -> Void
    ) throws -> String {
        let view = try space.state(of: Cast.admin)
        let contents = try ACLChange.changeReadKey(ACLKeys()).contents(in: view, by: Cast.admin)
        guard case .readKeyChange(var change) = try #require(contents.last) else { throw SetupError() }
        try edit(&change)
        let record = space.record([.readKeyChange(change)], by: Cast.admin)
        try space.add(record)
        return record.id
    }

    private struct SetupError: Error {}

    private static func give(
        _ encrypted: [UInt8], to identity: PublicKey
    ) -> (inout ACLContent.ReadKeyChange) -> Void {
        { change in
            for index in change.accountKeys.indices
            where (try? ACLIdentity.unchecked(change.accountKeys[index].identity)) == identity {
                change.accountKeys[index].encryptedReadKey = encrypted[...]
            }
        }
    }

    /// What an admin may give the owner that is not the key.
    enum Gift: CaseIterable {
        case nothing, garbage, noKey, anotherKey

        func bytes() throws -> [UInt8] {
            switch self {
            case .nothing: []
            case .garbage: [UInt8](repeating: 7, count: 80)
            case .noKey: try Cast.owner.publicKey.encrypt([1, 2, 3])
            case .anotherKey: try SymmetricKey().encrypted(to: Cast.owner.publicKey)
            }
        }
    }

    @Test(arguments: Gift.allCases) func anAdminLocksNobodyOut(_ gift: Gift) throws {
        var space = start
        let id = try rotateBadly(&space, Self.give(try gift.bytes(), to: Cast.owner.publicKey))
        for account in Self.everybody { #expect(try space.state(of: account).head == id) }
        let left = ACLKeyUnavailable.leftOut(recordId: id)
        let owner = try space.state(of: Cast.owner)
        #expect(throws: left) { try owner.currentReadKey() }
        #expect(throws: left) { try owner.pushKeys() }
        #expect(left.description.contains("ask an admin to rotate"))
        #expect(throws: Never.self) { try space.state(of: Cast.writer).pushKeys() }
        // Trusted contents are refused as the reference refuses them.
        #expect(throws: ACLError.self) { try space.state(of: Cast.owner, .network(networkKey: nil)) }

        // What needs the current key can not be written, what makes a new one can.
        #expect(throws: ACLWriteError.keyUnavailable(left)) {
            try space.write(.add([.init(identity: Cast.reader.publicKey, permissions: .reader)]), by: Cast.owner)
        }
        try space.write(.remove([Cast.admin.publicKey], keys: ACLKeys()), by: Cast.owner)
        let keys = try space.state(of: Cast.owner).pushKeys()
        #expect(try space.state(of: Cast.writer).pushKeys() == keys)
        #expect(throws: ACLKeyUnavailable.removed) { try space.state(of: Cast.admin).currentReadKey() }
        // Who comes in passes the key that the owner was not given.
        try space.write(.add([.init(identity: Cast.reader.publicKey, permissions: .reader)]), by: Cast.owner)
        let reader = try space.state(of: Cast.reader)
        #expect(try reader.pushKeys() == keys)
        #expect(reader.generations.map { $0.readKey != nil } == [true, false, true])
        #expect(try reader.metadata(of: Cast.owner.publicKey) == Array("owner".utf8))
    }

    @Test func aKeyThatNobodyHasIsReplaced() throws {
        var space = start
        let id = try rotateBadly(&space) { $0.encryptedMetadataKey = [1, 2, 3] }
        for account in [Cast.owner, Cast.admin, Cast.writer] {
            #expect(throws: ACLKeyUnavailable.leftOut(recordId: id)) { try space.state(of: account).pushKeys() }
        }
        try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
        for account in [Cast.admin, Cast.writer] {
            #expect(try space.state(of: account).pushKeys() == space.state.pushKeys())
        }
    }

    @Test(arguments: [nil, [1, 2, 3]] as [ArraySlice<UInt8>?])
    func aKeyThatLeadsNowhereIsPassed(_ old: ArraySlice<UInt8>?) throws {
        var space = start
        // Some old key must be there; it need not open.
        if old == nil {
            #expect(throws: ACLError.self) { _ = try rotateBadly(&space) { $0.encryptedOldReadKey = nil } }
        }
        let sealed = try SymmetricKey().seal(SymmetricKey().marshalled())
        _ = try rotateBadly(&space) { $0.encryptedOldReadKey = old ?? sealed[...] }
        try space.write(.add([.init(identity: Cast.reader.publicKey, permissions: .reader)]), by: Cast.owner)
        #expect(throws: ACLKeyUnavailable.firstKeyOutOfReach) { try space.state(of: Cast.reader).pushKeys() }
        try space.write(.remove([Cast.reader.publicKey], keys: ACLKeys()), by: Cast.owner)
        try space.write(.add([.init(identity: Cast.reader.publicKey, permissions: .reader)]), by: Cast.owner)
        #expect(try space.state(of: Cast.reader).pushKeys() == space.state.pushKeys())
    }

    @Test func whoComesInWithoutTheKeySaysSo() throws {
        var space = start
        var addition = ACLContent.Addition()
        addition.identity = Cast.reader.publicKey.marshalled[...]
        addition.permissions = .reader
        addition.encryptedReadKey = [1, 2, 3]
        var add = ACLContent.AccountsAdd()
        add.additions = [addition]
        let record = space.record([.accountsAdd(add)], by: Cast.admin)
        try space.add(record)
        let reader = try space.state(of: Cast.reader)
        #expect(reader.head == record.id && reader.permissions == .reader)
        #expect(throws: ACLKeyUnavailable.leftOut(recordId: space.state.id)) { try reader.pushKeys() }
        #expect(throws: ACLError.self) { try space.state(of: Cast.reader, .network(networkKey: nil)) }
    }

    @Test func walksPastOtherKeysAreCounted() throws {
        var journal = start.log.journal
        var passes = 0
        while journal.takePass() { passes += 1 }
        #expect(passes == 100_000)
        let isLeft = journal.takePass()
        #expect(!isLeft)
    }
}
