import Testing

@testable import PushCrypto

/// Who has which keys, and why others have none.
@Suite struct ACLKeyTests {
    private static let modes: [ACLVerification] = [.full, .network(networkKey: nil)]

    private func unavailable(_ space: TestSpace, _ account: SigningKey?, _ mode: ACLVerification) throws
        -> ACLKeyUnavailable?
    {
        let state = try space.state(of: account, mode)
        do throws(ACLKeyUnavailable) {
            _ = try state.currentReadKey()
        } catch {
            #expect(throws: error) { try state.pushKeys() }
            return error
        }
        return nil
    }

    @Test(arguments: modes) func everyReasonIsNamed(_ mode: ACLVerification) throws {
        let inviteKey = Cast.key("invite")
        var space = try TestSpace()
        #expect(try unavailable(space, nil, mode) == .noAccount)
        #expect(try unavailable(space, Cast.outsider, mode) == .neverMember)
        try space.write(.inviteToAsk(key: inviteKey.publicKey), by: Cast.owner)

        var request = try space.write(.askToJoin(inviteKey: inviteKey, metadata: [1]), by: Cast.writer)
        #expect(try unavailable(space, Cast.writer, mode) == .pending)
        try space.write(.decline(requestId: request), by: Cast.owner)
        #expect(try unavailable(space, Cast.writer, mode) == .declined)

        request = try space.write(.askToJoin(inviteKey: inviteKey, metadata: [1]), by: Cast.writer)
        try space.write(.cancel(requestId: request), by: Cast.writer)
        #expect(try unavailable(space, Cast.writer, mode) == .canceled)

        request = try space.write(.askToJoin(inviteKey: inviteKey, metadata: [1]), by: Cast.writer)
        try space.write(.accept(requestId: request, permissions: .writer), by: Cast.owner)
        #expect(try unavailable(space, Cast.writer, mode) == nil)

        try space.write(.setPermissions(of: Cast.writer.publicKey, to: .none), by: Cast.owner)
        #expect(try unavailable(space, Cast.writer, mode) == .noPermissions)
        try space.write(.setPermissions(of: Cast.writer.publicKey, to: .reader), by: Cast.owner)
        #expect(try unavailable(space, Cast.writer, mode) == nil)

        try space.write(.remove([Cast.writer.publicKey], keys: ACLKeys()), by: Cast.owner)
        #expect(try unavailable(space, Cast.writer, mode) == .removed)
        try space.write(.inviteToAsk(key: inviteKey.publicKey), by: Cast.owner)
        try space.write(.askToJoin(inviteKey: inviteKey, metadata: [1]), by: Cast.writer)
        #expect(try unavailable(space, Cast.writer, mode) == .pending)
    }

    @Test(arguments: modes) func aRemovedMemberLosesTheCurrentKeyAndNoOther(_ mode: ACLVerification) throws {
        let keys = [ACLKeys(), ACLKeys()]
        var space = try TestSpace(keys: keys[0])
        try space.write(.add([.init(identity: Cast.writer.publicKey, permissions: .writer)]), by: Cast.owner)
        let before = try space.state(of: Cast.writer, mode)
        #expect(try before.pushKeys() == space.state.pushKeys())
        try space.write(.remove([Cast.writer.publicKey], keys: keys[1]), by: Cast.owner)

        let removed = try space.state(of: Cast.writer, mode)
        #expect(removed.generations.map(\.readKey) == [keys[0].readKey, nil])
        #expect(throws: ACLKeyUnavailable.removed) { try removed.pushKeys() }
        // The space push key still follows, so a sender has to ask for membership.
        #expect(try removed.firstMetadataKey() == keys[0].metadataKey)
        let owner = try space.state(of: Cast.owner, mode)
        #expect(try owner.currentReadKey() == keys[1].readKey)
        #expect(try owner.pushKeys().spaceKey == before.pushKeys().spaceKey)
        #expect(try owner.pushKeys().encryptionKeyId != before.pushKeys().encryptionKeyId)
    }

    @Test func aMemberThatWasLeftOutSaysSo() throws {
        let house = try #require(FullHouse.shared)
        var log = try house.space.log(of: Cast.writer, .network(networkKey: nil))
        let change = house.keyChange(without: [Cast.writer])
        let record = house.space.record([.readKeyChange(change)], by: Cast.owner)
        try log.append(record)
        #expect(throws: ACLKeyUnavailable.leftOut(recordId: record.id)) { try log.state.currentReadKey() }
        #expect(throws: ACLKeyUnavailable.leftOut(recordId: record.id)) { try log.state.pushKeys() }
    }

    @Test(arguments: modes) func whoeverComesInOpensEveryGeneration(_ mode: ACLVerification) throws {
        let keys = (0..<5).map { _ in ACLKeys() }
        var space = try TestSpace(keys: keys[0])
        let join = { (space: inout TestSpace) in
            _ = try space.write(
                .add([.init(identity: Cast.writer.publicKey, permissions: .writer, metadata: [7])]), by: Cast.owner
            )
        }
        for generation in 1...2 { try space.write(.changeReadKey(keys[generation]), by: Cast.owner) }
        try join(&space)
        try space.write(.remove([Cast.writer.publicKey], keys: keys[3]), by: Cast.owner)
        try space.write(.changeReadKey(keys[4]), by: Cast.owner)
        try join(&space)

        let state = try space.state(of: Cast.writer, mode)
        #expect(state.generations.map(\.readKey) == keys.map(\.readKey))
        #expect(state.generations.map { $0.metadataKey() } == keys.map(\.metadataKey))
        #expect(state.generations.map(\.metadataPublicKey) == keys.map(\.metadataKey.publicKey))
        #expect(try state.metadata(of: Cast.owner.publicKey) == Array("owner".utf8))
        #expect(try state.metadata(of: Cast.writer.publicKey) == [7])
        #expect(throws: KeyError.cannotDecrypt) { try state.metadata(of: Cast.outsider.publicKey) }
        #expect(try space.state(of: Cast.writer, mode).pushKeys() == space.state.pushKeys())
    }

    @Test func aBrokenChainStopsWhoeverComesIn() throws {
        let house = try #require(FullHouse.shared)
        let breaks: [(ACLError.Reason, (inout ACLContent.ReadKeyChange) -> Void)] = [
            (.missing(.oldReadKey), { $0.encryptedOldReadKey = nil }),
            (.cannotDecrypt(.oldReadKey), { $0.encryptedOldReadKey = [1, 2, 3] }),
        ]
        for (reason, edit) in breaks {
            let keys = ACLKeys()
            let change = house.keyChange { change in
                let sealed = try? keys.sealedMetadataKey()
                change.encryptedMetadataKey = sealed?[...]
                for index in change.accountKeys.indices {
                    let member = house.space.state.members[index].identity
                    let encrypted = try? keys.readKey.encrypted(to: member)
                    change.accountKeys[index].encryptedReadKey = encrypted?[...] ?? []
                }
                edit(&change)
            }
            var log = try house.space.log(of: Cast.outsider, .network(networkKey: nil))
            try log.append(house.space.record([.readKeyChange(change)], by: Cast.owner))
            var addition = ACLContent.Addition()
            addition.identity = Cast.outsider.publicKey.marshalled[...]
            addition.permissions = .reader
            addition.encryptedReadKey = try keys.readKey.encrypted(to: Cast.outsider.publicKey)[...]
            var data = ACLData()
            var add = ACLContent.AccountsAdd()
            add.additions = [addition]
            data.contents = [.accountsAdd(add)]
            let record = house.space.record(data: data.marshalled(), by: Cast.owner, after: log.state.head)
            let before = log.state
            let error = ACLError(
                recordIndex: before.recordCount, recordId: record.id, contentIndex: 0, reason: reason
            )
            #expect(throws: error) { try log.append(record) }
            #expect(log.state == before)
        }
    }

    @Test func anotherReadKeyOpensNothing() throws {
        var space = try TestSpace()
        try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
        try space.write(.add([.init(identity: Cast.writer.publicKey, permissions: .writer)]), by: Cast.owner)
        var log = try space.log(of: Cast.writer, .network(networkKey: nil))
        var addition = ACLContent.Addition()
        addition.identity = Cast.writer.publicKey.marshalled[...]
        addition.permissions = .writer
        addition.encryptedReadKey = try SymmetricKey().encrypted(to: Cast.writer.publicKey)[...]
        var add = ACLContent.AccountsAdd()
        add.additions = [addition]
        let record = space.record([.accountsAdd(add)], by: Cast.owner)
        let error = ACLError(
            recordIndex: log.state.recordCount, recordId: record.id, contentIndex: 0,
            reason: .cannotDecrypt(.metadataKey)
        )
        let before = log.state
        #expect(throws: error) { try log.append(record) }
        #expect(log.state == before)
    }

    @Test func aMetadataKeyWithAnotherPublicHalfIsNoKey() throws {
        let keys = ACLKeys()
        var marshalled = keys.metadataKey.marshalled()
        marshalled[marshalled.count - 1] ^= 1
        let sealed = try keys.readKey.seal(marshalled)
        let secret = try ACLSecrets.metadataKey(sealed, with: keys.readKey)
        var generation = ACLKeyGeneration(recordId: "record")
        generation.openedMetadataKey = secret
        #expect(generation.metadataKey() == nil)
        // The form that repeats the public half must repeat it.
        let raw = keys.metadataKey.rawBytes()
        for (repeated, good) in [(raw.suffix(32), true), (raw.prefix(32), false)] {
            let long = try keys.readKey.seal(KeyMessage.encode(.ed25519Private, raw + repeated))
            #expect(((try? ACLSecrets.metadataKey(long, with: keys.readKey)) != nil) == good)
        }
    }

    @Test func descriptionsHoldNoKeys() throws {
        let space = try TestSpace()
        let texts = ["\(space.state)", "\(space.state.generations)", String(reflecting: space.state.generations[0])]
        let key = try space.state.currentReadKey()
        for text in texts {
            #expect(!text.contains(Hexadecimal.encode(key.rawBytes())))
            #expect(!text.contains(key.rawBytes().description))
            #expect(text.contains(space.state.id))
        }
    }
}
