import PushCrypto
import Testing

@testable import AnyServer

@Suite struct OneToOneTests {
    private let ada: TestAccount
    private let bob: TestAccount

    init() async throws {
        ada = try await TestAccount()
        bob = try await TestAccount()
    }

    @Test func bothMakeTheSameSpace() async throws {
        let mine = try await ada.store.createOneToOne(with: bob.id)
        let theirs = try await bob.store.createOneToOne(with: ada.id)
        #expect(mine.id == theirs.id && mine.push == theirs.push && mine.push != nil)
        #expect(mine.spaceType == .oneToOne && mine.status == .active && mine.ownRole == .writer)
        #expect(mine.author == nil && mine.peer == bob.identity && theirs.peer == ada.identity)
        let records = try await ada.store.aclRecords(of: mine.id, from: 0, limit: 9)
        #expect(try await bob.store.aclRecords(of: mine.id, from: 0, limit: 9) == records)
        _ = ada.events()
        #expect(try await ada.store.createOneToOne(with: bob.id) == mine)
        #expect(ada.events() == [])
        #expect(try await ada.store.spaces().count == 1)
        #expect(Set(try await ada.store.members(of: mine.id).map(\.identity)) == [ada.identity, bob.identity])
    }

    @Test func theOtherSideIsPendingUntilItAccepts() async throws {
        let id = try await ada.store.createOneToOne(with: bob.id).id
        try await ada.store.updateSpace(id, name: "Us")
        #expect(try await bob.take(id, from: ada) == .init(spaceId: id, records: 1, changes: 1))
        let row = try await bob.store.space(id)
        let push = try await ada.store.space(id).push
        #expect(row.status == .oneToOnePending && row.name == "Us" && row.push == push)
        await #expect(throws: SpaceError.notActive(.oneToOnePending)) {
            try await bob.store.updateSpace(id, name: "No")
        }
        try await bob.store.patchSettings(of: id, set: ["notifyMode": "none"])
        #expect(try await bob.take(id, from: ada) == .init(spaceId: id))
        #expect(try await bob.store.space(id).status == .oneToOnePending)
        #expect(try await bob.store.acceptOneToOne(id).status == .active)
        #expect(try await bob.store.acceptOneToOne(id).status == .active)
        await #expect(throws: SpaceError.notPending) { _ = try await bob.store.declineOneToOne(id) }
        try await bob.store.updateSpace(id, name: "Both")
        try await ada.take(id, from: bob)
        #expect(try await ada.store.space(id).name == "Both")
    }

    @Test func aDeclinedOneStaysDeclinedUntilItIsWanted() async throws {
        let id = try await ada.store.createOneToOne(with: bob.id).id
        try await bob.take(id, from: ada)
        #expect(try await bob.store.declineOneToOne(id).status == .oneToOneDeclined)
        #expect(try await bob.store.declineOneToOne(id).status == .oneToOneDeclined)
        try await ada.store.updateSpace(id, name: "Please")
        try await bob.take(id, from: ada)
        #expect(try await bob.store.space(id).status == .oneToOneDeclined)
        #expect(try await bob.store.createOneToOne(with: ada.id).status == .active)
    }

    @Test func aDeletedOneComesBackWhenItIsMadeAnew() async throws {
        let space = try await ada.store.createOneToOne(with: bob.id)
        try await ada.store.patchSettings(of: space.id, set: ["notifyMode": "none"])
        try await ada.store.deleteSpace(space.id)
        await #expect(throws: SpaceError.deleted) { _ = try await ada.store.acceptOneToOne(space.id) }
        let again = try await ada.store.createOneToOne(with: bob.id)
        #expect(again.id == space.id && again.status == .active && again.push == space.push)
        #expect(again.settings == ["notifyMode": .string("none")])
        try await ada.store.updateSpace(space.id, name: "Again")
    }

    @Test func itsMembersNeverChange() async throws {
        let id = try await ada.store.createOneToOne(with: bob.id).id
        let other = SigningKey().publicKey.accountAddress
        await #expect(throws: SpaceError.membersAreFixed) { _ = try await ada.store.addMember(other, to: id) }
        await #expect(throws: SpaceError.membersAreFixed) { try await ada.store.removeMember(bob.id, from: id) }
        await #expect(throws: SpaceError.membersAreFixed) { try await ada.store.rotateReadKey(of: id) }
    }

    @Test func whoIsNobodyHasNoSpace() async throws {
        await #expect(throws: SpaceError.ownIdentity) { _ = try await ada.store.createOneToOne(with: ada.id) }
        for text in ["", "bob", bob.keys.peerId.description] {
            await #expect(throws: SpaceError.invalidIdentity(field: "identity")) {
                _ = try await ada.store.createOneToOne(with: text)
            }
        }
        let smallOrder = try PublicKey(rawRepresentation: [1] + [UInt8](repeating: 0, count: 31))
        await #expect(throws: SpaceError.invalidIdentity(field: "identity")) {
            _ = try await ada.store.createOneToOne(with: smallOrder.accountAddress)
        }
        let id = try await ada.store.createSpace().id
        await #expect(throws: SpaceError.notOneToOne) { _ = try await ada.store.acceptOneToOne(id) }
        await #expect(throws: SpaceError.notFound) { _ = try await ada.store.declineOneToOne("nowhere") }
    }

    @Test func anOutsiderCanNotTakeIt() async throws {
        let id = try await ada.store.createOneToOne(with: bob.id).id
        let eve = try await TestAccount()
        await #expect(throws: SpaceError.notMember) { try await eve.take(id, from: ada) }
        #expect(try await eve.store.spaces() == [])
    }
}
