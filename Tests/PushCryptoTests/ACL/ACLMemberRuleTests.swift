import Testing

@testable import PushCrypto

/// The rows of protocol.md §2's table about requests, members and roles.
@Suite struct ACLMemberRuleTests {
    private let house: FullHouse

    init() throws {
        house = try #require(FullHouse.shared)
    }

    private func expect(
        _ content: ACLContent, by author: SigningKey, _ reason: ACLError.Reason?,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(house.space.refusal(of: content, by: author) == reason, sourceLocation: location)
    }

    @Test func managersAnswerRequests() {
        let id = house.joinRequestId
        for author in [Cast.owner, Cast.admin] {
            for permissions in [ACLPermissions.writer, .reader, .guest] {
                expect(house.accept(Cast.pending, id, permissions), by: author, nil)
            }
            expect(house.accept(Cast.pending, id, .owner), by: author, .permissionsNotAllowed(.owner))
            expect(house.accept(Cast.pending, "none", .writer), by: author, .noSuchRequest(recordId: "none"))
            expect(
                house.accept(Cast.outsider, id, .writer), by: author,
                .wrongIdentity(expected: Cast.pending.publicKey, found: Cast.outsider.publicKey)
            )
            expect(house.decline(id), by: author, nil)
            expect(house.decline("none"), by: author, .noSuchRequest(recordId: "none"))
            let leave = house.leaveRequestId
            expect(house.decline(leave), by: author, .noSuchRequest(recordId: leave))
            expect(house.accept(Cast.leaver, leave, .reader), by: author, .noSuchRequest(recordId: leave))
        }
        expect(house.accept(Cast.pending, id, .admin), by: Cast.owner, nil)
        expect(house.accept(Cast.pending, id, .admin), by: Cast.admin, .permissionsNotAllowed(.admin))
    }

    @Test func othersDoNotManage() {
        let contents = [
            house.accept(Cast.pending, house.joinRequestId, .reader), house.decline(house.joinRequestId),
            house.add((Cast.outsider, .reader)), house.changes((Cast.reader, .writer)),
            .permissionChange(house.change(Cast.reader, .writer)), house.remove(Cast.reader),
            .readKeyChange(house.keyChange()),
        ]
        for content in contents {
            expect(content, by: Cast.writer, .notAllowed(author: .writer))
            expect(content, by: Cast.reader, .notAllowed(author: .reader))
            expect(content, by: Cast.guest, .notAllowed(author: .guest))
            expect(content, by: Cast.pending, .notAllowed(author: .none))
            expect(content, by: Cast.outsider, .notAllowed(author: .none))
        }
    }

    @Test func oneCancelsOnesOwnRequest() {
        expect(house.cancel(house.joinRequestId), by: Cast.pending, nil)
        expect(house.cancel(house.leaveRequestId), by: Cast.leaver, nil)
        expect(house.cancel("none"), by: Cast.pending, .noSuchRequest(recordId: "none"))
        expect(
            house.cancel(house.joinRequestId), by: Cast.owner,
            .wrongIdentity(expected: Cast.pending.publicKey, found: Cast.owner.publicKey)
        )
    }

    @Test func managersAddAccounts() {
        for author in [Cast.owner, Cast.admin] {
            for permissions in [ACLPermissions.writer, .reader, .guest] {
                expect(house.add((Cast.outsider, permissions), (Cast.removed, permissions)), by: author, nil)
            }
            for permissions in [ACLPermissions.owner, .none] {
                expect(house.add((Cast.outsider, permissions)), by: author, .permissionsNotAllowed(permissions))
            }
            let member = house.add((Cast.outsider, .reader), (Cast.writer, .reader))
            expect(member, by: author, .alreadyMember(Cast.writer.publicKey))
        }
        expect(house.add((Cast.outsider, .admin)), by: Cast.owner, nil)
        expect(house.add((Cast.outsider, .admin)), by: Cast.admin, .permissionsNotAllowed(.admin))
    }

    @Test(arguments: 0..<3) func everyAddedAccountIsAKey(_ position: Int) throws {
        var addition = ACLContent.Addition()
        addition.permissions = .reader
        var add = ACLContent.AccountsAdd()
        add.additions = [Cast.outsider, Cast.key("another"), Cast.key("third")].map { account in
            addition.identity = account.publicKey.marshalled[...]
            return addition
        }
        expect(.accountsAdd(add), by: Cast.owner, nil)
        add.additions[position].identity = [0x12, 0x20, 2] + [UInt8](repeating: 0, count: 31)
        let reason = ACLError.Reason.keyUnreadable(.identity, .notACurvePoint)
        expect(.accountsAdd(add), by: Cast.owner, reason)
        var log = try house.space.log(of: nil, .network(networkKey: nil))
        let record = house.space.record([.accountsAdd(add)], by: Cast.owner)
        let error = ACLError(
            recordIndex: log.state.recordCount, recordId: record.id, contentIndex: 0, reason: reason
        )
        #expect(throws: error) { try log.append(record) }
    }

    @Test func theOwnerChangesEverybodyElsesPermissions() {
        for (account, permissions) in [
            (Cast.writer, ACLPermissions.reader), (Cast.reader, .writer), (Cast.reader, .guest), (Cast.admin, .writer),
            (Cast.writer, .admin), (Cast.writer, .none), (Cast.removed, .writer),
        ] {
            expect(house.changes((account, permissions)), by: Cast.owner, nil)
            expect(.permissionChange(house.change(account, permissions)), by: Cast.owner, nil)
        }
    }

    @Test func anAdminChangesThoseBelow() {
        expect(house.changes((Cast.writer, .reader), (Cast.reader, .writer)), by: Cast.admin, nil)
        expect(house.changes((Cast.deputy, .writer)), by: Cast.admin, .accountNotAllowed(.admin))
        expect(house.changes((Cast.admin, .writer)), by: Cast.admin, .accountNotAllowed(.admin))
        expect(house.changes((Cast.writer, .admin)), by: Cast.admin, .permissionsNotAllowed(.admin))
    }

    @Test func nobodyTouchesOwnersOrGuests() {
        for author in [Cast.owner, Cast.admin] {
            expect(house.changes((Cast.owner, .writer)), by: author, .accountNotAllowed(.owner))
            expect(house.changes((Cast.guest, .reader)), by: author, .accountNotAllowed(.guest))
            expect(house.changes((Cast.writer, .owner)), by: author, .permissionsNotAllowed(.owner))
            expect(house.changes((Cast.writer, .guest)), by: author, .permissionsNotAllowed(.guest))
            let outsider = house.changes((Cast.outsider, .writer))
            expect(outsider, by: author, .noSuchAccount(Cast.outsider.publicKey))
        }
    }

    @Test func eachPermissionChangeSeesTheOneBefore() {
        // A reader becomes a guest, and a guest stays one.
        let twice = house.changes((Cast.reader, .guest), (Cast.reader, .writer))
        expect(twice, by: Cast.owner, .accountNotAllowed(.guest))
    }

    @Test func membersAskToLeave() {
        let leave = ACLContent.accountRequestRemove(ACLContent.AccountRequestRemove())
        for author in [Cast.admin, Cast.writer, Cast.reader] { expect(leave, by: author, nil) }
        expect(leave, by: Cast.owner, .notAllowed(author: .owner))
        expect(leave, by: Cast.guest, .notAllowed(author: .guest))
        expect(leave, by: Cast.removed, .notAllowed(author: .none))
        expect(leave, by: Cast.outsider, .notAllowed(author: .none))
        expect(leave, by: Cast.leaver, .requestPending(recordId: house.leaveRequestId))
    }

    @Test func theOwnerGivesTheSpaceAway() {
        for (account, permissions) in [
            (Cast.admin, ACLPermissions.admin), (Cast.writer, .writer), (Cast.guest, .reader),
        ] {
            expect(house.ownership(account, permissions), by: Cast.owner, nil)
        }
        let toOutsider = house.ownership(Cast.outsider, .admin)
        expect(toOutsider, by: Cast.owner, .noSuchAccount(Cast.outsider.publicKey))
        let toRemoved = house.ownership(Cast.removed, .admin)
        expect(toRemoved, by: Cast.owner, .noSuchAccount(Cast.removed.publicKey))
        expect(house.ownership(Cast.leaver, .admin), by: Cast.owner, .accountNotAllowed(.writer))
        expect(house.ownership(Cast.owner, .admin), by: Cast.owner, .accountNotAllowed(.owner))
        for permissions in [ACLPermissions.owner, .none] {
            let change = house.ownership(Cast.admin, permissions)
            expect(change, by: Cast.owner, .permissionsNotAllowed(permissions))
        }
        expect(house.ownership(Cast.admin, .admin), by: Cast.admin, .notAllowed(author: .admin))
        expect(house.ownership(Cast.outsider, .admin), by: Cast.outsider, .notAllowed(author: .none))
    }

    @Test func theOwnerSetsOptions() {
        let options = ACLContent.spaceOptionsChange(ACLContent.SpaceOptionsChange())
        expect(options, by: Cast.owner, nil)
        expect(options, by: Cast.admin, .notAllowed(author: .admin))
        expect(options, by: Cast.outsider, .notAllowed(author: .none))
    }

    @Test func newRecordsDoWhatIsKnown() throws {
        expect(.unknown, by: Cast.owner, .unknownContent)
        expect(.unknown, by: Cast.outsider, .unknownContent)
        var log = house.space.log
        let empty = house.space.record([], by: Cast.outsider)
        #expect(throws: ACLError.self) { try log.admit(empty) }
        #expect(log.state == house.space.state)
        // What others have accepted is followed all the same.
        try log.append(empty)
        try log.append(house.space.record(data: [0x0a, 0], by: Cast.owner, after: empty.id))
        #expect(log.state.accounts == house.space.state.accounts)
        #expect(log.state.recordCount == house.space.state.recordCount + 2)
    }
}
