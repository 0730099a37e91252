import ProtoWire
import Testing

@testable import PushCrypto

/// The rows of protocol.md §2's table about removals and read keys.
@Suite struct ACLKeyRuleTests {
    private let house: FullHouse
    private let memberCount: Int

    init() throws {
        house = try #require(FullHouse.shared)
        memberCount = house.space.state.memberCount
    }

    private func expect(
        _ content: ACLContent, by author: SigningKey, _ reason: ACLError.Reason?,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(house.space.refusal(of: content, by: author) == reason, sourceLocation: location)
    }

    @Test func managersRemove() {
        for author in [Cast.owner, Cast.admin] {
            expect(house.remove(Cast.writer), by: author, nil)
            expect(house.remove(Cast.writer, Cast.guest, Cast.leaver), by: author, nil)
            expect(house.remove(Cast.outsider), by: author, .noSuchAccount(Cast.outsider.publicKey))
            expect(house.remove(Cast.removed), by: author, .noSuchAccount(Cast.removed.publicKey))
            expect(house.remove(Cast.pending), by: author, .noSuchAccount(Cast.pending.publicKey))
            expect(house.remove(Cast.owner), by: author, .accountNotAllowed(.owner))
            let twice = house.remove([Cast.writer, Cast.writer], house.keyChange(without: [Cast.writer]))
            expect(twice, by: author, .duplicateAccount(Cast.writer.publicKey))
        }
        expect(house.remove(Cast.deputy), by: Cast.owner, nil)
        expect(house.remove(Cast.deputy), by: Cast.admin, .accountNotAllowed(.admin))
        expect(house.remove(Cast.admin), by: Cast.admin, .accountNotAllowed(.admin))
    }

    @Test func aRemovalChangesTheKeys() {
        expect(house.remove([Cast.writer], nil), by: Cast.owner, .missing(.readKeyChange))
        expect(
            house.remove([Cast.writer], house.keyChange()), by: Cast.owner,
            .wrongAccountKeys(expected: memberCount - 1, found: memberCount)
        )
        let removedInsteadOfReader = house.keyChange(without: [Cast.reader])
        expect(
            house.remove([Cast.writer], removedInsteadOfReader), by: Cast.owner,
            .noSuchAccount(Cast.writer.publicKey)
        )
    }

    @Test func managersChangeTheReadKey() {
        for author in [Cast.owner, Cast.admin] {
            expect(.readKeyChange(house.keyChange()), by: author, nil)
        }
    }

    @Test func aKeyChangeIsForTheMembers() {
        let expect = { (change: ACLContent.ReadKeyChange, reason: ACLError.Reason) in
            self.expect(.readKeyChange(change), by: Cast.owner, reason)
        }
        let (less, more) = (memberCount - 1, memberCount + 1)
        expect(house.keyChange(without: [Cast.guest]), .wrongAccountKeys(expected: memberCount, found: less))
        expect(house.keyChange(with: [Cast.outsider]), .wrongAccountKeys(expected: memberCount, found: more))
        let removed = house.keyChange(without: [Cast.guest], with: [Cast.removed])
        expect(removed, .noSuchAccount(Cast.removed.publicKey))
        let outsider = house.keyChange(without: [Cast.guest], with: [Cast.outsider])
        expect(outsider, .noSuchAccount(Cast.outsider.publicKey))
        let twice = house.keyChange(without: [Cast.guest], with: [Cast.writer])
        expect(twice, .duplicateAccount(Cast.writer.publicKey))
        let nobody = house.keyChange { $0.accountKeys[0].identity = [1, 2, 3] }
        self.expect(
            .readKeyChange(nobody), by: Cast.owner, .keyUnreadable(.identity, .malformed(.illegalFieldNumber(0)))
        )
    }

    @Test func aKeyChangeIsForTheOpenInvites() {
        let expect = { (keys: [SigningKey], expected: Int, found: Int) in
            self.expect(
                .readKeyChange(house.keyChange(inviteKeys: keys)), by: Cast.owner,
                .wrongInviteKeys(expected: expected, found: found)
            )
        }
        expect([], 1, 0)
        expect([house.openKey, house.openKey], 1, 2)
        expect([house.askKey], 0, 1)
        expect([Cast.outsider], 0, 1)
    }

    @Test func aKeyChangeHasAllItsParts() {
        let expect = { (reason: ACLError.Reason, edit: (inout ACLContent.ReadKeyChange) -> Void) in
            self.expect(.readKeyChange(house.keyChange(edit)), by: Cast.owner, reason)
        }
        expect(.missing(.metadataKey)) { $0.encryptedMetadataKey = nil }
        expect(.missing(.oldReadKey)) { $0.encryptedOldReadKey = nil }
        expect(.keyUnreadable(.metadataPublicKey, .wrongLength(expected: 32, found: 0))) { $0.metadataPublicKey = [] }
        // What only some can open is judged by nobody.
        let closed = house.keyChange { change in
            for index in change.accountKeys.indices { change.accountKeys[index].encryptedReadKey = [1, 2, 3] }
            change.encryptedMetadataKey = [1, 2, 3]
        }
        self.expect(.readKeyChange(closed), by: Cast.owner, nil)
    }
}
