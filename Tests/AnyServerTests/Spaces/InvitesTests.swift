import PushCrypto
import Testing

@testable import AnyServer

@Suite struct InvitesTests {
    private let owner: TestAccount
    private let admin: TestAccount
    private let id: String
    private let ask = SigningKey()
    private let open = SigningKey()

    init() async throws {
        owner = try await TestAccount()
        admin = try await TestAccount()
        id = try await owner.store.createSpace(name: "Garden").id
        _ = try await owner.store.addMember(admin.id, role: .admin, to: id)
        // Invites are made by other software.
        try await owner.take(id, adding: .inviteToAsk(key: ask.publicKey), by: admin)
        try await owner.take(id, adding: .invite(key: open.publicKey, permissions: .writer), by: admin)
    }

    private func log(of account: TestAccount) async throws -> ACLState {
        let records = try await owner.store.aclRecords(of: id, from: 0, limit: .max)
        return try ACLLog(records: records, account: account.keys.accountKey, mode: .full).state
    }

    @Test func invitesAreListed() async throws {
        let invites = try await owner.store.invites(of: id)
        #expect(Set(invites.map(\.kind)) == [.requestToJoin, .anyoneCanJoin])
        #expect(invites.map(\.id) == invites.map(\.id).sorted())
        let first = try #require(invites.first { $0.kind == .anyoneCanJoin })
        #expect(
            first.json == [
                "id": .string(first.id), "type": "anyone_can_join", "author": .string(admin.id),
                "permission": "writer", "role": "writer",
            ])
        let second = try #require(invites.first { $0.kind == .requestToJoin })
        #expect(second.json["role"] == nil)
        await #expect(throws: SpaceError.notFound) { _ = try await owner.store.invites(of: "nowhere") }
    }

    @Test func aRemovedAdminKeepsNoKeyThroughItsInvite() async throws {
        try await owner.store.removeMember(admin.id, from: id)
        #expect(try await owner.store.invites(of: id) == [])
        let view = try await log(of: admin)
        #expect(view.readKey(openedBy: open) == nil)
        #expect(throws: ACLKeyUnavailable.removed) { try view.currentReadKey() }
        // Nor does it come in again by it.
        await #expect(throws: (any Error).self) {
            try await owner.take(id, adding: .join(inviteKey: open, permissions: .none, metadata: []), by: admin)
        }
    }

    @Test func aRotationRevokesInvites() async throws {
        try await owner.store.rotateReadKey(of: id)
        #expect(try await owner.store.invites(of: id) == [])
        #expect(try await log(of: admin).readKey(openedBy: open) == nil)
    }

    @Test func anInviteThatGivesTheKeyTakesItAlong() async throws {
        let invites = try await owner.store.invites(of: id)
        let before = try await owner.store.space(id).push?.encKeyId
        let asking = try #require(invites.first { $0.kind == .requestToJoin })
        try await owner.store.revokeInvite(asking.id, of: id)
        #expect(try await owner.store.space(id).push?.encKeyId == before)
        let joining = try #require(invites.first { $0.kind == .anyoneCanJoin })
        try await owner.store.revokeInvite(joining.id, of: id)
        #expect(try await owner.store.space(id).push?.encKeyId != before)
        #expect(try await owner.store.invites(of: id) == [])
        await #expect(throws: SpaceError.noSuchInvite) { try await owner.store.revokeInvite(joining.id, of: id) }
    }

    @Test func otherInvitesStayWithTheNewKey() async throws {
        let key = SigningKey()
        try await owner.take(id, adding: .invite(key: key.publicKey, permissions: .reader), by: admin)
        let view = try await log(of: admin)
        let first = try #require(view.invites.first { $0.key == open.publicKey })
        try await owner.store.revokeInvite(first.recordId, of: id)
        let after = try await log(of: admin)
        #expect(after.readKey(openedBy: open) == nil)
        #expect(try after.readKey(openedBy: key) == after.currentReadKey())
    }

    @Test func onlyManagersRevoke() async throws {
        let writer = try await TestAccount()
        _ = try await owner.store.addMember(writer.id, to: id)
        try await writer.take(id, from: owner)
        let invite = try #require(try await writer.store.invites(of: id).first)
        await #expect(throws: SpaceError.forbidden(role: .writer)) {
            try await writer.store.revokeInvite(invite.id, of: id)
        }
    }

    @Test func whoAskedComesInAsItAsked() async throws {
        let joiner = try await TestAccount()
        let metadata = MemberMetadata(name: "Joe").bytes
        try await owner.take(id, adding: .askToJoin(inviteKey: ask, metadata: metadata), by: joiner)
        _ = try await owner.store.addMember(joiner.id, role: .reader, to: id)
        let state = try await log(of: joiner)
        #expect(state.requests.isEmpty && state.permissions == .reader && state.status == .active)
        #expect(try await owner.store.members(of: id).last?.name == "Joe")
        try await joiner.take(id, from: owner)
        #expect(try await joiner.store.space(id).push == owner.store.space(id).push)
    }
}
