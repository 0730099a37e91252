import Testing

@testable import PushCrypto

/// The rows of protocol.md §2's table about invites and coming in.
@Suite struct ACLInviteRuleTests {
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

    @Test func managersInvite() {
        for author in [Cast.owner, Cast.admin] {
            expect(house.invite(.requestToJoin, .none, readKey: nil), by: author, nil)
            expect(house.invite(.anyoneCanJoin, .writer), by: author, nil)
            expect(house.invite(.anyoneCanJoin, .reader), by: author, nil)
            for permissions in [ACLPermissions.none, .owner, .guest] {
                let invite = house.invite(.anyoneCanJoin, permissions)
                expect(invite, by: author, .permissionsNotAllowed(permissions))
            }
            let withoutKey = house.invite(.anyoneCanJoin, .writer, readKey: nil)
            expect(withoutKey, by: author, .missing(.readKey))
        }
        expect(house.invite(.anyoneCanJoin, .admin), by: Cast.owner, nil)
        expect(house.invite(.anyoneCanJoin, .admin), by: Cast.admin, .permissionsNotAllowed(.admin))
    }

    @Test func othersDoNotInvite() {
        let contents = [
            house.invite(.requestToJoin, .none), house.invite(.anyoneCanJoin, .reader),
            house.inviteChange(house.openId, .reader), house.inviteRevoke(house.openId),
        ]
        for content in contents {
            expect(content, by: Cast.writer, .notAllowed(author: .writer))
            expect(content, by: Cast.reader, .notAllowed(author: .reader))
            expect(content, by: Cast.guest, .notAllowed(author: .guest))
            expect(content, by: Cast.removed, .notAllowed(author: .none))
            expect(content, by: Cast.pending, .notAllowed(author: .none))
            expect(content, by: Cast.outsider, .notAllowed(author: .none))
        }
    }

    @Test func theInviteKeyMustBeAKey() {
        var invite = ACLContent.Invite()
        invite.inviteKey = [0x12, 0x20] + [2] + [UInt8](repeating: 0, count: 31)
        expect(.invite(invite), by: Cast.owner, .keyUnreadable(.inviteKey, .notACurvePoint))
    }

    @Test func managersChangeInvites() {
        for author in [Cast.owner, Cast.admin] {
            expect(house.inviteChange(house.openId, .reader), by: author, nil)
            expect(house.inviteChange(house.openId, .writer), by: author, .permissionsUnchanged(.writer))
            expect(house.inviteChange(house.askId, .reader), by: author, .noSuchInvite(recordId: house.askId))
            expect(house.inviteChange("none", .reader), by: author, .noSuchInvite(recordId: "none"))
            for permissions in [ACLPermissions.none, .owner, .guest] {
                let change = house.inviteChange(house.openId, permissions)
                expect(change, by: author, .permissionsNotAllowed(permissions))
            }
        }
        expect(house.inviteChange(house.openId, .admin), by: Cast.owner, nil)
        expect(house.inviteChange(house.openId, .admin), by: Cast.admin, .permissionsNotAllowed(.admin))
    }

    @Test func managersRevokeInvites() {
        for author in [Cast.owner, Cast.admin] {
            expect(house.inviteRevoke(house.openId), by: author, nil)
            expect(house.inviteRevoke(house.askId), by: author, nil)
            expect(house.inviteRevoke("none"), by: author, .noSuchInvite(recordId: "none"))
        }
    }

    @Test func theInvitedAsk() {
        for joiner in [Cast.outsider, Cast.removed] {
            expect(house.requestJoin(joiner, house.askId, signedBy: house.askKey), by: joiner, nil)
        }
        let limit = ACLState.maximumMetadataLength
        let long = house.requestJoin(Cast.outsider, house.askId, signedBy: house.askKey, metadataLength: limit)
        expect(long, by: Cast.outsider, nil)
        let longer = house.requestJoin(Cast.outsider, house.askId, signedBy: house.askKey, metadataLength: limit + 1)
        expect(longer, by: Cast.outsider, .metadataTooLong(maximum: 1024, found: 1025))
    }

    @Test func nobodyElseAsks() {
        let request = { house.requestJoin($0, house.askId, signedBy: house.askKey) }
        expect(request(Cast.reader), by: Cast.reader, .alreadyMember(Cast.reader.publicKey))
        expect(request(Cast.pending), by: Cast.pending, .requestPending(recordId: house.joinRequestId))
        expect(
            request(Cast.removed), by: Cast.outsider,
            .wrongIdentity(expected: Cast.outsider.publicKey, found: Cast.removed.publicKey)
        )
        let byOther = house.requestJoin(Cast.outsider, house.askId, signedBy: house.openKey)
        expect(byOther, by: Cast.outsider, .signatureInvalid(.inviteIdentitySignature))
        let open = house.requestJoin(Cast.outsider, house.openId, signedBy: house.openKey)
        expect(open, by: Cast.outsider, .noSuchInvite(recordId: house.openId))
        let unknown = house.requestJoin(Cast.outsider, "none", signedBy: house.askKey)
        expect(unknown, by: Cast.outsider, .noSuchInvite(recordId: "none"))
    }

    @Test func theInvitedJoin() {
        for joiner in [Cast.outsider, Cast.removed, Cast.pending] {
            for permissions in [ACLPermissions.none, .reader, .writer] {
                let join = house.inviteJoin(joiner, house.openId, signedBy: house.openKey, permissions)
                expect(join, by: joiner, nil)
            }
        }
        let limit = ACLState.maximumMetadataLength
        let long = house.inviteJoin(Cast.outsider, house.openId, signedBy: house.openKey, metadataLength: limit)
        expect(long, by: Cast.outsider, nil)
        let longer = house.inviteJoin(Cast.outsider, house.openId, signedBy: house.openKey, metadataLength: limit + 1)
        expect(longer, by: Cast.outsider, .metadataTooLong(maximum: 1024, found: 1025))
    }

    @Test func nobodyElseJoins() {
        let join = { house.inviteJoin($0, house.openId, signedBy: house.openKey, $1) }
        for permissions in [ACLPermissions.admin, .owner, .guest, ACLPermissions(rawValue: 9)] {
            let content = join(Cast.outsider, permissions)
            expect(content, by: Cast.outsider, .permissionsNotAllowed(permissions))
        }
        expect(join(Cast.reader, .none), by: Cast.reader, .alreadyMember(Cast.reader.publicKey))
        expect(
            join(Cast.removed, .none), by: Cast.outsider,
            .wrongIdentity(expected: Cast.outsider.publicKey, found: Cast.removed.publicKey)
        )
        let byOther = house.inviteJoin(Cast.outsider, house.openId, signedBy: house.askKey)
        expect(byOther, by: Cast.outsider, .signatureInvalid(.inviteIdentitySignature))
        let ask = house.inviteJoin(Cast.outsider, house.askId, signedBy: house.askKey)
        expect(ask, by: Cast.outsider, .noSuchInvite(recordId: house.askId))
        let withoutKey = house.inviteJoin(Cast.outsider, house.openId, signedBy: house.openKey, readKey: nil)
        expect(withoutKey, by: Cast.outsider, .missing(.readKey))
    }
}
