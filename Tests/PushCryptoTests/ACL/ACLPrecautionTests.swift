import Testing

@testable import PushCrypto

/// What our records do beyond what the rules ask for, and what new records must not do although a log may hold it.
@Suite struct ACLPrecautionTests {
    private static let askKey = Cast.key("ask")
    private static let openKey = Cast.key("open")
    private static let network = ACLVerification.network(networkKey: nil)

    private func newMember(_ account: SigningKey, _ permissions: ACLPermissions) -> ACLChange {
        .add([.init(identity: account.publicKey, permissions: permissions)])
    }

    private func spaceWithInvites() throws -> TestSpace {
        var space = try TestSpace()
        try space.write(newMember(Cast.admin, .admin), by: Cast.owner)
        try space.write(.inviteToAsk(key: Self.askKey.publicKey), by: Cast.admin)
        try space.write(.invite(key: Self.openKey.publicKey, permissions: .writer), by: Cast.admin)
        return space
    }

    @Test func aRemovedAdminKeepsNoKeyThroughItsInvite() throws {
        var space = try spaceWithInvites()
        #expect(space.state.invites.allSatisfy { $0.author == Cast.admin.publicKey })
        let records = space.records.count
        try space.write(.remove([Cast.admin.publicKey], keys: ACLKeys()), by: Cast.owner)
        #expect(space.records.count == records + 1)
        #expect(space.state.invites.isEmpty)
        for mode in [ACLVerification.full, Self.network] {
            let view = try space.state(of: Cast.admin, mode)
            #expect(view.readKey(openedBy: Self.openKey) == nil)
            #expect(view.generations.last?.readKey == nil)
        }
        try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
        #expect(try space.state(of: Cast.admin).readKey(openedBy: Self.openKey) == nil)
        #expect(throws: ACLWriteError.self) {
            try space.write(.join(inviteKey: Self.openKey, permissions: .none, metadata: []), by: Cast.admin)
        }
    }

    @Test func aRotationRevokesInvitesUnlessTold() throws {
        var space = try spaceWithInvites()
        try space.write(.changeReadKey(ACLKeys(), keepsInvites: true), by: Cast.owner)
        #expect(space.state.invites.count == 2)
        #expect(try space.state.readKey(openedBy: Self.openKey) == space.state.currentReadKey())
        try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
        #expect(space.state.invites.isEmpty)
        #expect(try space.state(of: Cast.admin, Self.network).pushKeys() == space.state.pushKeys())
    }

    @Test func whoLosesAllPermissionsLosesTheKey() throws {
        var space = try spaceWithInvites()
        try space.write(newMember(Cast.writer, .writer), by: Cast.owner)
        let before = try space.state.currentReadKey()
        try space.write(.setPermissions(of: Cast.admin.publicKey, to: .none), by: Cast.owner)
        #expect(try space.state.currentReadKey() != before)
        #expect(space.state.invites.isEmpty)
        for mode in [ACLVerification.full, Self.network] {
            #expect(throws: ACLKeyUnavailable.noPermissions) { try space.state(of: Cast.admin, mode).currentReadKey() }
            #expect(try space.state(of: Cast.admin, mode).generations.last?.readKey == nil)
            #expect(try space.state(of: Cast.writer, mode).pushKeys() == space.state.pushKeys())
        }
        // Back again, it has the key again.
        try space.write(.setPermissions(of: Cast.admin.publicKey, to: .reader), by: Cast.owner)
        #expect(try space.state(of: Cast.admin).pushKeys() == space.state.pushKeys())
        // Other changes make no keys, and a record makes them once.
        var count = space.state.generations.count
        try space.write(.setPermissions(of: Cast.admin.publicKey, to: .writer), by: Cast.owner)
        #expect(space.state.generations.count == count)
        try space.write(
            .setPermissions(of: Cast.admin.publicKey, to: .none), .remove([Cast.writer.publicKey], keys: ACLKeys()),
            by: Cast.owner
        )
        count += 1
        #expect(space.state.generations.count == count)
    }

    @Test func permissionsThatOthersTookWithoutNewKeysAreFollowed() throws {
        var space = try TestSpace()
        try space.write(newMember(Cast.writer, .writer), by: Cast.owner)
        var change = ACLContent.PermissionChange()
        change.identity = Cast.writer.publicKey.marshalled[...]
        try space.add(space.record([.permissionChange(change)], by: Cast.owner))
        #expect(throws: ACLKeyUnavailable.noPermissions) { try space.state(of: Cast.writer).currentReadKey() }
    }

    // MARK: Requests that an addition left open

    /// A space whose admin, or owner, has a request that nobody answered, as earlier software left it.
    private func spaceWithStaleRequest(_ account: SigningKey) throws -> (space: TestSpace, requestId: String) {
        var space = try spaceWithInvites()
        let id = try space.write(.askToJoin(inviteKey: Self.askKey, metadata: []), by: account)
        var addition = ACLContent.Addition()
        addition.identity = account.publicKey.marshalled[...]
        addition.permissions = .admin
        addition.encryptedReadKey = try space.state.currentReadKey().encrypted(to: account.publicKey)[...]
        var add = ACLContent.AccountsAdd()
        add.additions = [addition]
        try space.add(space.record([.accountsAdd(add)], by: Cast.owner))
        #expect(space.state.request(id) != nil)
        return (space, id)
    }

    private func accept(_ account: SigningKey, _ id: String, _ permissions: ACLPermissions) -> ACLContent {
        var accept = ACLContent.RequestAccept()
        accept.identity = account.publicKey.marshalled[...]
        accept.requestRecordId = id
        accept.permissions = permissions
        return .requestAccept(accept)
    }

    @Test func aStaleRequestChangesNoMember() throws {
        var (space, id) = try spaceWithStaleRequest(Cast.deputy)
        let isMember = ACLError.Reason.alreadyMember(Cast.deputy.publicKey)
        for permissions in [ACLPermissions.reader, .none] {
            #expect(space.refusal(of: accept(Cast.deputy, id, permissions), by: Cast.admin) == isMember)
        }
        var decline = ACLContent.RequestDecline()
        decline.requestRecordId = id
        #expect(space.refusal(of: .requestDecline(decline), by: Cast.admin) == isMember)
        try space.write(.changeOwner(to: Cast.deputy.publicKey, oldOwner: .admin), by: Cast.owner)
        #expect(space.refusal(of: accept(Cast.deputy, id, .none), by: Cast.admin) == isMember)
        // What others took into a log is followed as they did, in both modes.
        for mode in [ACLVerification.full, Self.network] {
            var log = try space.log(of: nil, mode)
            try log.append(space.record([accept(Cast.deputy, id, .none)], by: Cast.admin))
            #expect(log.state.permissions(of: Cast.deputy.publicKey) == .none)
        }
    }

    @Test func nobodyIsAcceptedAsNothing() throws {
        var space = try spaceWithInvites()
        let id = try space.write(.askToJoin(inviteKey: Self.askKey, metadata: []), by: Cast.pending)
        let refusal = space.refusal(of: accept(Cast.pending, id, .none), by: Cast.admin)
        #expect(refusal == .permissionsNotAllowed(.none))
        #expect(space.refusal(of: accept(Cast.pending, id, .reader), by: Cast.admin) == nil)
    }

    @Test func anAdditionSettlesTheRequest() throws {
        var space = try spaceWithInvites()
        let id = try space.write(.askToJoin(inviteKey: Self.askKey, metadata: [1]), by: Cast.writer)
        try space.write(newMember(Cast.writer, .writer), by: Cast.admin)
        for mode in [ACLVerification.full, Self.network] {
            let state = try space.state(of: Cast.writer, mode)
            #expect(state.requests.isEmpty && state.status == .active && state.permissions == .writer)
            #expect(state.ownAccount?.pendingRequestId == nil)
            #expect(try state.pushKeys() == space.state.pushKeys())
        }
        #expect(space.refusal(of: accept(Cast.writer, id, .reader), by: Cast.owner) == .noSuchRequest(recordId: id))
        // It can ask to leave, which an open request would not let it.
        try space.write(.askToLeave, by: Cast.writer)
    }

    // MARK: All of it

    @Test func aLogWithEveryPrecautionIsFollowedInBothModes() throws {
        var space = try spaceWithInvites()
        try space.write(.askToJoin(inviteKey: Self.askKey, metadata: [1]), by: Cast.writer)
        try space.write(newMember(Cast.writer, .writer), by: Cast.admin)
        try space.write(.join(inviteKey: Self.openKey, permissions: .reader, metadata: [2]), by: Cast.reader)
        try space.write(.changeReadKey(ACLKeys(), keepsInvites: true), by: Cast.admin)
        try space.write(.setPermissions(of: Cast.reader.publicKey, to: .none), by: Cast.admin)
        try space.write(.inviteToAsk(key: Self.askKey.publicKey), by: Cast.admin)
        try space.write(.remove([Cast.admin.publicKey], keys: ACLKeys()), by: Cast.owner)
        try space.write(.invite(key: Self.openKey.publicKey, permissions: .reader), by: Cast.owner)
        try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
        try space.write(.setPermissions(of: Cast.reader.publicKey, to: .reader), by: Cast.owner)
        let members = [Cast.owner, Cast.writer, Cast.reader]
        for mode in [ACLVerification.full, Self.network] {
            for account in members + [Cast.admin, Cast.outsider] {
                let state = try space.state(of: account, mode)
                #expect(state.accounts == space.state.accounts && state.invites.isEmpty)
                if members.contains(where: { $0.publicKey == account.publicKey }) {
                    #expect(try state.pushKeys() == space.state.pushKeys())
                } else {
                    #expect(throws: ACLKeyUnavailable.self) { try state.pushKeys() }
                }
            }
        }
    }
}
