import Testing

@testable import PushCrypto

/// Records that are written are followed by everybody, in both modes, to the same end.
@Suite struct ACLWritingTests {
    private static let everybody = [
        Cast.owner, Cast.admin, Cast.writer, Cast.reader, Cast.guest, Cast.outsider,
    ]

    @Test func aSpaceLivesThroughEveryChange() throws {
        let (askKey, openKey) = (Cast.key("ask"), Cast.key("open"))
        var space = try TestSpace()
        #expect(space.state.owner == Cast.owner.publicKey)
        let ask = try space.write(.inviteToAsk(key: askKey.publicKey), by: Cast.owner)
        let request = try space.write(
            .askToJoin(inviteKey: askKey, metadata: Array("admin".utf8)), by: Cast.admin
        )
        #expect(space.state.request(request)?.kind == .join)
        #expect(space.state.account(Cast.admin.publicKey)?.pendingRequestId == request)
        try space.write(.accept(requestId: request, permissions: .admin), by: Cast.owner)
        #expect(space.state.requests.isEmpty)
        #expect(try space.state.metadata(of: Cast.admin.publicKey) == Array("admin".utf8))
        try expectMembers(space, [.owner, .admin])

        let open = try space.write(.invite(key: openKey.publicKey, permissions: .writer), by: Cast.admin)
        #expect(try space.state.readKey(openedBy: openKey) == space.state.currentReadKey())
        #expect(space.state.readKey(openedBy: askKey) == nil)
        try space.write(.join(inviteKey: openKey, permissions: .none, metadata: [1]), by: Cast.writer)
        try space.write(.changeInvite(recordId: open, permissions: .reader), by: Cast.owner)
        try space.write(.changeReadKey(ACLKeys(), keepsInvites: true), by: Cast.admin)
        #expect(try space.state.readKey(openedBy: openKey) == space.state.currentReadKey())
        try space.write(.join(inviteKey: openKey, permissions: .reader, metadata: [2]), by: Cast.reader)
        try space.write(.add([.init(identity: Cast.guest.publicKey, permissions: .guest)]), by: Cast.owner)
        try expectMembers(space, [.owner, .admin, .writer, .reader, .guest])

        try space.write(.setPermissions(of: Cast.reader.publicKey, to: .writer), by: Cast.admin)
        try space.write(.revokeInvite(recordId: open), by: Cast.admin)
        #expect(space.state.readKey(openedBy: openKey) == nil)
        #expect(space.state.invites.map(\.recordId) == [ask])
        try space.write(.askToLeave, by: Cast.writer)
        #expect(space.state.account(Cast.writer.publicKey)?.status == .removing)
        try space.write(.remove([Cast.writer.publicKey, Cast.guest.publicKey], keys: ACLKeys()), by: Cast.admin)
        #expect(space.state.requests.isEmpty)
        try space.write(.changeOwner(to: Cast.admin.publicKey, oldOwner: .admin), by: Cast.owner)
        #expect(space.state.owner == Cast.admin.publicKey)
        try expectMembers(space, [.admin, .owner, .none, .writer, .none])
        try space.write(.changeReadKey(ACLKeys()), by: Cast.admin)
    }

    /// Everybody sees the same accounts and invites, and members the same keys.
    private func expectMembers(
        _ space: TestSpace, _ permissions: [ACLPermissions], location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(space.state.accounts.map(\.permissions) == permissions, sourceLocation: location)
        #expect(space.state.memberCount == permissions.filter(\.isMember).count, sourceLocation: location)
        #expect(space.state.members.count == space.state.memberCount, sourceLocation: location)
        for account in Self.everybody {
            for mode in [ACLVerification.full, .network(networkKey: nil)] {
                let state = try space.state(of: account, mode)
                #expect(state.accounts == space.state.accounts, sourceLocation: location)
                #expect(Set(state.invites) == Set(space.state.invites), sourceLocation: location)
                if state.permissions.isMember {
                    #expect(try state.pushKeys() == space.state.pushKeys(), sourceLocation: location)
                    #expect(state.generations.allSatisfy { $0.readKey != nil && $0.metadataKey() != nil })
                } else {
                    #expect(throws: ACLKeyUnavailable.self, sourceLocation: location) { try state.pushKeys() }
                }
            }
        }
    }

    @Test func changesInOneRecordFindTheOnesBefore() throws {
        let askKey = Cast.key("ask")
        let keys = ACLKeys()
        var space = try TestSpace()
        try space.write(
            .inviteToAsk(key: askKey.publicKey),
            .add([.init(identity: Cast.writer.publicKey, permissions: .writer)]), by: Cast.owner
        )
        let request = try space.write(.askToJoin(inviteKey: askKey, metadata: [1]), by: Cast.reader)
        let id = try space.write(
            .remove([Cast.writer.publicKey], keys: keys), .accept(requestId: request, permissions: .reader),
            .add([.init(identity: Cast.admin.publicKey, permissions: .admin)]),
            .setPermissions(of: Cast.reader.publicKey, to: .writer), by: Cast.owner
        )
        #expect(space.state.currentReadKeyId == id)
        for account in [Cast.owner, Cast.reader, Cast.admin] {
            #expect(try space.state(of: account).currentReadKey() == keys.readKey)
        }
        #expect(throws: ACLKeyUnavailable.removed) { try space.state(of: Cast.writer).currentReadKey() }
        #expect(space.state.permissions(of: Cast.reader.publicKey) == .writer)
    }

    @Test func oneKeyMayServeSeveralInvites() throws {
        let key = Cast.key("shared invite")
        var space = try TestSpace()
        let first = try space.write(.invite(key: key.publicKey, permissions: .reader), by: Cast.owner)
        try space.write(.invite(key: key.publicKey, permissions: .writer), by: Cast.owner)
        try space.write(.changeReadKey(ACLKeys(), keepsInvites: true), by: Cast.owner)
        try space.write(.revokeInvite(recordId: first), by: Cast.owner)
        #expect(try space.state.readKey(openedBy: key) == space.state.currentReadKey())
        try space.write(.changeReadKey(ACLKeys(), keepsInvites: true), by: Cast.owner)
        try space.write(.join(inviteKey: key, permissions: .writer, metadata: []), by: Cast.writer)
        #expect(try space.state(of: Cast.writer).pushKeys() == space.state.pushKeys())
    }

    @Test func writingChangesNothing() throws {
        var space = try TestSpace()
        try space.write(.inviteToAsk(key: Cast.key("ask").publicKey), by: Cast.owner)
        var log = space.log
        let record = try log.makeRecord([.changeReadKey(ACLKeys())], timestamp: 77)
        #expect(log.state == space.state)
        let signed = try ACLRecord(decoding: RawRecord(decoding: record.payload[...]).payload)
        #expect(signed.timestamp == 77)
        #expect(throws: ACLWriteError.self) { try log.makeRecord([.askToLeave], timestamp: 77) }
        #expect(log.state == space.state)
        try log.append(record)
        #expect(log.state.generations.count == 2)
    }

    @Test func whatIsNotAllowedIsNotWritten() throws {
        let house = try #require(FullHouse.shared)
        let refused = { (changes: [ACLChange], author: SigningKey?) -> ACLWriteError? in
            do throws(ACLWriteError) {
                var log: ACLLog
                do throws(ACLError) { log = try house.space.log(of: author) } catch { throw .refused(error) }
                _ = try log.makeRecord(changes, timestamp: 3)
                return nil
            } catch {
                return error
            }
        }
        let (ask, open) = (house.askKey, house.openKey)
        #expect(refused([.askToLeave], nil) == .keyUnavailable(.noAccount))
        let noKey = refused([.changeReadKey(ACLKeys())], Cast.outsider)
        #expect(noKey == .keyUnavailable(.neverMember))
        let noLongerKey = refused([.invite(key: open.publicKey, permissions: .reader)], Cast.removed)
        #expect(noLongerKey == .keyUnavailable(.removed))
        #expect(refused([.askToJoin(inviteKey: open, metadata: [])], Cast.outsider) == .noInvite(key: open.publicKey))
        let joinByAsk = refused([.join(inviteKey: ask, permissions: .none, metadata: [])], Cast.outsider)
        #expect(joinByAsk == .noInvite(key: ask.publicKey))
        let noRequest = refused([.accept(requestId: "none", permissions: .reader)], Cast.owner)
        #expect(noRequest == .noSuchRequest(recordId: "none"))
        let empty = try #require(refused([], Cast.owner))
        #expect(empty.description.contains("a new record must have contents"))
        let reason = ACLError.Reason.notAllowed(author: .writer)
        let error = ACLError(
            recordIndex: house.space.state.recordCount, recordId: "", contentIndex: 0, reason: reason
        )
        #expect(refused([.changeReadKey(ACLKeys())], Cast.writer) == .refused(error))
        let smallOrder = try PublicKey(rawRepresentation: SmallOrderPoints.canonical[0])
        let toNobody = refused([.add([.init(identity: smallOrder, permissions: .reader)])], Cast.owner)
        #expect(toNobody == .cannotEncrypt(to: smallOrder, .unusableForEncryption))
    }

    @Test func anotherAccountMayWriteThroughAView() throws {
        let house = try #require(FullHouse.shared)
        var log = try house.space.log(of: nil)
        let record = try log.makeRecord(
            [.askToJoin(inviteKey: house.askKey, metadata: [1])], by: Cast.outsider, timestamp: 3
        )
        try log.admit(record)
        #expect(log.state.account(Cast.outsider.publicKey)?.status == .joining)
    }
}
