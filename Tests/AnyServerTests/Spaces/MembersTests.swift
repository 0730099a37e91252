import PushCrypto
import Testing

@testable import AnyServer

@Suite struct MembersTests {
    private let owner: TestAccount
    private let member: TestAccount
    private let id: String

    init() async throws {
        owner = try await TestAccount()
        member = try await TestAccount()
        try await owner.store.setProfileName("Ada")
        id = try await owner.store.createSpace(name: "Garden").id
    }

    @Test func membersAreListedWithTheirRoles() async throws {
        let added = try await owner.store.addMember(member.id, to: id)
        #expect(added == SpaceMember(identity: member.identity, role: .writer, status: .active, name: nil))
        #expect(
            try await owner.store.members(of: id) == [
                SpaceMember(identity: owner.identity, role: .owner, status: .active, name: "Ada"), added,
            ]
        )
        try await member.take(id, from: owner)
        #expect(try await member.store.members(of: id).map(\.name) == ["Ada", nil])
        #expect(
            added.json == [
                "identity": .string(member.id), "permission": "writer", "role": "writer", "status": "active",
            ]
        )
    }

    @Test(arguments: [SpaceRole.admin, .writer, .reader, .guest])
    func aMemberHasItsRoleInItsOwnRow(_ role: SpaceRole) async throws {
        _ = try await owner.store.addMember(member.id, role: role, to: id)
        try await member.take(id, from: owner)
        let row = try await member.store.space(id)
        #expect(row.ownRole == role && row.status == .active && row.author == owner.identity)
        let push = try await owner.store.space(id).push
        #expect(row.push == push)
        #expect(row.name == "Garden")
    }

    @Test func whatCanNotBeAdded() async throws {
        _ = try await owner.store.addMember(member.id, to: id)
        await #expect(throws: SpaceError.alreadyMember) { _ = try await owner.store.addMember(member.id, to: id) }
        await #expect(throws: SpaceError.alreadyMember) { _ = try await owner.store.addMember(owner.id, to: id) }
        let other = SigningKey().publicKey.accountAddress
        for role in [SpaceRole.owner, .none] {
            await #expect(throws: SpaceError.roleNotAllowed(role)) {
                _ = try await owner.store.addMember(other, role: role, to: id)
            }
        }
        for text in ["", "A", "nobody", member.keys.peerId.description, "A" + String(repeating: "1", count: 4000)] {
            await #expect(throws: SpaceError.invalidIdentity(field: "identity")) {
                _ = try await owner.store.addMember(text, to: id)
            }
        }
        // A point of small order is a key to which nothing can be encrypted.
        let smallOrder = try PublicKey(rawRepresentation: [1] + [UInt8](repeating: 0, count: 31))
        await #expect(throws: SpaceError.invalidIdentity(field: "identity")) {
            _ = try await owner.store.addMember(smallOrder.accountAddress, to: id)
        }
        #expect(try await owner.store.aclRecords(of: id, from: 0, limit: 9).count == 2)
    }

    @Test func onlyManagersChangeMembers() async throws {
        let other = SigningKey().publicKey.accountAddress
        for role in [SpaceRole.writer, .reader, .guest] {
            let account = try await TestAccount()
            _ = try await owner.store.addMember(account.id, role: role, to: id)
            try await account.take(id, from: owner)
            await #expect(throws: SpaceError.forbidden(role: role)) {
                _ = try await account.store.addMember(other, to: id)
            }
            await #expect(throws: SpaceError.forbidden(role: role)) {
                try await account.store.removeMember(owner.id, from: id)
            }
            await #expect(throws: SpaceError.forbidden(role: role)) { try await account.store.rotateReadKey(of: id) }
            if role == .writer {
                try await account.store.updateSpace(id, name: "Orchard")
            } else {
                await #expect(throws: SpaceError.readOnly(role: role)) {
                    try await account.store.updateSpace(id, name: "Orchard")
                }
            }
        }
    }

    @Test func anAdminManagesAllButAdminsAndTheOwner() async throws {
        let second = try await TestAccount()
        _ = try await owner.store.addMember(member.id, role: .admin, to: id)
        _ = try await owner.store.addMember(second.id, role: .admin, to: id)
        try await member.take(id, from: owner)
        let other = SigningKey().publicKey.accountAddress
        await #expect(throws: SpaceError.roleNotAllowed(.admin)) {
            _ = try await member.store.addMember(other, role: .admin, to: id)
        }
        _ = try await member.store.addMember(other, role: .reader, to: id)
        await #expect(throws: SpaceError.memberStays(.owner)) {
            try await member.store.removeMember(owner.id, from: id)
        }
        await #expect(throws: SpaceError.memberStays(.admin)) {
            try await member.store.removeMember(second.id, from: id)
        }
        await #expect(throws: SpaceError.memberStays(.admin)) {
            try await member.store.removeMember(member.id, from: id)
        }
        try await member.store.removeMember(other, from: id)
        await #expect(throws: SpaceError.noSuchMember) { try await member.store.removeMember(other, from: id) }
        try await owner.take(id, from: member)
        try await owner.store.removeMember(second.id, from: id)
        #expect(try await owner.store.members(of: id).map(\.status) == [.active, .active, .removed, .removed])
    }

    @Test func aRemovedMemberNeverHasALaterKey() async throws {
        _ = try await owner.store.addMember(member.id, to: id)
        try await member.take(id, from: owner)
        let before = try #require(try await member.store.space(id).push)
        try await owner.store.removeMember(member.id, from: id)
        try await owner.store.updateSpace(id, name: "Secret garden")
        let result = try await member.take(id, from: owner)
        #expect(result == .init(spaceId: id, records: 1, changes: 0))
        let row = try await member.store.space(id)
        #expect(row.status == .deleted && row.ownRole == .none && row.name == "Garden")
        #expect(row.wasRemoved && row.json["removed"] == true)
        // Pushes sealed before the removal may still arrive.
        #expect(row.push == before)
        let now = try #require(try await owner.store.space(id).push)
        #expect(now.encKeyId != before.encKeyId && now.spaceKey == before.spaceKey)
        let records = try await member.store.aclRecords(of: id, from: 0, limit: 9)
        let log = try ACLLog(records: records, account: member.keys.accountKey, mode: .full)
        #expect(throws: ACLKeyUnavailable.removed) { try log.state.currentReadKey() }
        #expect(log.state.generations.last?.readKey == nil)
        await #expect(throws: SpaceError.removed) { try await member.store.updateSpace(id, name: "Mine") }
        #expect(SpaceError.removed.apiError.code == SpaceError.deleted.apiError.code)
        #expect(SpaceError.removed.apiError.message.contains("was removed from the space"))

        // Let in again, it reads what was written meanwhile.
        _ = try await owner.store.addMember(member.id, role: .reader, to: id)
        try await member.take(id, from: owner)
        let again = try await member.store.space(id)
        #expect(again.status == .active && again.ownRole == .reader && again.name == "Secret garden")
        #expect(again.push == now)
        #expect(!again.wasRemoved && again.json["removed"] == nil)
    }

    @Test func aRoleChangesByWhoMay() async throws {
        let second = try await TestAccount()
        for account in [member, second] { _ = try await owner.store.addMember(account.id, to: id) }
        try await owner.store.setRole(of: second.id, to: .admin, in: id)
        try await owner.store.setRole(of: member.id, to: .reader, in: id)
        let before = try await owner.store.aclRecords(of: id, from: 0, limit: 99).count
        try await owner.store.setRole(of: member.id, to: .reader, in: id)
        #expect(try await owner.store.aclRecords(of: id, from: 0, limit: 99).count == before, "nothing to write")
        for account in [member, second] { try await account.take(id, from: owner) }
        #expect(try await member.store.space(id).ownRole == .reader)
        #expect(try await second.store.space(id).ownRole == .admin)
        await #expect(throws: SpaceError.forbidden(role: .reader)) {
            try await member.store.setRole(of: second.id, to: .reader, in: id)
        }
        await #expect(throws: SpaceError.roleStays(.owner)) {
            try await second.store.setRole(of: owner.id, to: .reader, in: id)
        }
        await #expect(throws: SpaceError.roleStays(.admin)) {
            try await second.store.setRole(of: second.id, to: .reader, in: id)
        }
        await #expect(throws: SpaceError.roleNotAllowed(.admin)) {
            try await second.store.setRole(of: member.id, to: .admin, in: id)
        }
        await #expect(throws: SpaceError.roleNotAllowed(.none)) {
            try await owner.store.setRole(of: member.id, to: .none, in: id)
        }
        await #expect(throws: SpaceError.noSuchMember) {
            try await owner.store.setRole(of: SigningKey().publicKey.accountAddress, to: .writer, in: id)
        }
        try await second.store.setRole(of: member.id, to: .writer, in: id)
        #expect(try await second.store.members(of: id).map(\.role) == [.owner, .writer, .admin])
    }

    @Test func whoLeavesIsRemovedByTheOwner() async throws {
        _ = try await owner.store.addMember(member.id, to: id)
        try await member.take(id, from: owner)
        #expect(try await member.store.leaveSpace(id).status == .leaving)
        #expect(try await member.store.leaveSpace(id).status == .leaving, "again changes nothing")
        try await owner.take(id, from: member)
        #expect(try await owner.store.members(of: id).map(\.status) == [.active, .removing])
        try await owner.store.removeMember(member.id, from: id)
        try await member.take(id, from: owner)
        let row = try await member.store.space(id)
        #expect(row.status == .deleted && row.wasRemoved)
        await #expect(throws: SpaceError.removed) { _ = try await member.store.leaveSpace(id) }
        await #expect(throws: SpaceError.ownerStays) { _ = try await owner.store.leaveSpace(id) }
    }

    @Test func aRotationIsARowsUpdate() async throws {
        let before = try #require(try await owner.store.space(id).push)
        _ = owner.events()
        try await owner.store.rotateReadKey(of: id)
        #expect(owner.events() == ["spaceChanged(\"\(id)\")"])
        let after = try #require(try await owner.store.space(id).push)
        #expect(after.encKeyId != before.encKeyId && after.spaceKey == before.spaceKey)
        await #expect(throws: SpaceError.notFound) { try await owner.store.rotateReadKey(of: "nowhere") }
        await #expect(throws: SpaceError.notFound) { try await owner.store.removeMember(member.id, from: "nowhere") }
    }
}
