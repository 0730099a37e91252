import ProtoWire
import PushCrypto
import PushNode
import Testing

@testable import AnyServer

@Suite struct SpacesTests {
    @Test func aNewSpaceIsTheAccountsOwn() async throws {
        let account = try await TestAccount()
        let space = try await account.store.createSpace(name: "Garden", description: "Beds", iconCid: "bafyicon")
        #expect(space.status == .active && space.ownRole == .owner && space.spaceType == .space)
        #expect(space.author == account.identity)
        #expect((space.name, space.description, space.iconCid) == ("Garden", "Beds", "bafyicon"))
        #expect(space.createdAt == 1_700_000_000_001)
        #expect(account.events() == ["spaceChanged(\"\(space.id)\")"])
        #expect(try await account.store.spaces() == [space])
        let json = space.json
        #expect(
            json.names == [
                "id", "spaceType", "author", "name", "description", "iconCid", "status", "ownRole", "createdAt", "push",
            ]
        )
        #expect(json.string("createdAt") == "2023-11-14T22:13:20.001Z")
        #expect(json.string("author") == account.id)
        #expect(json.object("push")?.names == ["spaceKey", "encKey", "encKeyId"])
    }

    @Test func aSpacesRecordsReplayInFullAndGiveTheRowsKeys() async throws {
        let account = try await TestAccount()
        let member = AccountKeys(accountKey: SigningKey(), deviceKey: SigningKey())
        let id = try await account.store.createSpace(name: "Garden").id
        _ = try await account.store.addMember(member.accountId, role: .reader, to: id)
        try await account.store.rotateReadKey(of: id)
        let records = try await account.store.aclRecords(of: id, from: 0, limit: 10)
        #expect(records.count == 3)
        let push = try #require(try await account.store.space(id).push)
        for key in [account.keys.accountKey, member.accountKey] {
            let log = try ACLLog(records: records, account: key, mode: .full)
            #expect(log.state.spaceId == id)
            #expect(try log.state.pushKeys().receiverKeys == push)
        }
        #expect(try await account.store.aclRecords(of: id, from: 2, limit: 10) == [records[2]])
        #expect(try await account.store.aclRecords(of: id, from: 3, limit: 10) == [])
        await #expect(throws: SpaceError.notFound) {
            _ = try await account.store.aclRecords(of: "nowhere", from: 0, limit: 1)
        }
    }

    @Test func anAccountWhoseMasterKeyIsElsewhereVouchesForItself() async throws {
        let account = try await TestAccount(AccountKeys(accountKey: SigningKey(), deviceKey: SigningKey()))
        let id = try await account.store.createSpace().id
        let records = try await account.store.aclRecords(of: id, from: 0, limit: 10)
        _ = try ACLLog(records: records, account: nil, mode: .full)
    }

    @Test func aSpaceWithoutANameHasNone() async throws {
        let account = try await TestAccount()
        let space = try await account.store.createSpace(name: "", description: nil)
        #expect(space.name == nil && space.json["name"] == nil && space.json["settings"] == nil)
    }

    @Test func detailsChangeFieldByField() async throws {
        let account = try await TestAccount()
        let id = try await account.store.createSpace(name: "Garden", description: "Beds").id
        try await account.store.updateSpace(id, name: "Orchard")
        var space = try await account.store.space(id)
        #expect((space.name, space.description) == ("Orchard", "Beds"))
        try await account.store.updateSpace(id, name: "", iconCid: "icon")
        space = try await account.store.space(id)
        #expect((space.name, space.description, space.iconCid) == (nil, "Beds", "icon"))
        await #expect(throws: SpaceError.nothingToChange) { try await account.store.updateSpace(id) }
        try await account.store.updateSpace(id, name: "", description: "", iconCid: "")
        let cleared = try await account.store.space(id)
        #expect(cleared.name == nil && cleared.iconCid == nil)
        space = cleared
        await #expect(throws: SpaceError.notFound) { try await account.store.updateSpace("nowhere", name: "x") }
        let long = String(repeating: "é", count: 2049)
        await #expect(throws: SpaceError.textTooLong(field: "name", limit: 4096, found: 4098)) {
            try await account.store.updateSpace(id, name: long)
        }
        await #expect(throws: SpaceError.self) { _ = try await account.store.createSpace(name: long) }
        #expect(try await account.store.spaces() == [space])
    }

    @Test func onlyTheChangesThatCountAreKept() async throws {
        let account = try await TestAccount()
        let id = try await account.store.createSpace(name: "0", description: "d").id
        for number in 1...20 { try await account.store.updateSpace(id, name: "\(number)") }
        let details = try await account.export(id).filter { $0.string("kind") == "details" }
        #expect(details.count == 2)
    }

    @Test func aDeletedSpaceLeavesATombstone() async throws {
        let account = try await TestAccount()
        let store = account.store
        let space = try await store.createSpace(name: "Garden")
        try await store.patchSettings(of: space.id, set: ["notifyMode": "none"])
        _ = account.events()
        try await store.deleteSpace(space.id)
        #expect(account.events() == ["spaceChanged(\"\(space.id)\")"])
        try await store.deleteSpace(space.id)
        #expect(account.events() == [])
        let row = try await store.space(space.id)
        #expect(row.status == .deleted && row.ownRole == .none)
        #expect(row.push == space.push && row.settings == ["notifyMode": .string("none")])
        #expect(try await store.aclRecords(of: space.id, from: 0, limit: 1) == [])
        try await store.patchSettings(of: space.id, set: ["a": 1], unset: ["notifyMode"])
        #expect(try await store.space(space.id).settings == ["a": .integer(1)])
        await #expect(throws: SpaceError.deleted) { try await store.updateSpace(space.id, name: "x") }
        await #expect(throws: SpaceError.deleted) { _ = try await store.members(of: space.id) }
        await #expect(throws: SpaceError.deleted) { try await store.rotateReadKey(of: space.id) }
        await #expect(throws: SpaceError.deleted) { _ = try await store.exportPage(of: space.id) }
        await #expect(throws: SpaceError.notFound) { try await store.deleteSpace("nowhere") }
        let again = try await account.reopened()
        #expect(try await again.space(space.id).push == space.push)
    }

    @Test func rowsAreListedByStatus() async throws {
        let account = try await TestAccount()
        let first = try await account.store.createSpace().id
        let second = try await account.store.createSpace().id
        try await account.store.deleteSpace(first)
        #expect(try await account.store.spaces(status: .active).map(\.id) == [second])
        #expect(try await account.store.spaces(status: .deleted).map(\.id) == [first])
        #expect(try await account.store.spaces().map(\.id) == [first, second])
    }

    @Test func pushReadsTheSameRows() async throws {
        let account = try await TestAccount()
        let directory = AccountSpaceDirectory(account.store)
        var changes = directory.changes().makeAsyncIterator()
        let space = try await account.store.createSpace(name: "Garden")
        #expect(await changes.next() == .space(space.id))
        try await account.store.patchSettings(of: space.id, set: ["notifyMode": "mentions"])
        try await account.store.setProfileName("Ada")
        let row = try #require(try await directory.space(space.id))
        let key = try await SpacePushKeys(#require(account.store.space(space.id).push)).spaceKey.publicKey
        #expect(
            row
                == DirectorySpace(
                    id: space.id, type: "any.space", name: "Garden", isActive: true, isOwned: true,
                    notifyMode: .mentions,
                    pushKey: key))
        #expect(try await directory.spaces() == [row])
        #expect(try await directory.space("nowhere") == nil)
        #expect(try await directory.profileName() == "Ada")
        let chat = ChatId.general(of: space.id)
        try await account.store.setChatNotifyMode("none", of: chat, in: space.id)
        let general = DirectoryChat(id: chat, name: "general", notifyMode: NotifyMode.none)
        #expect(try await directory.chats(of: space.id) == [general])
        #expect(try await directory.chat(chat, of: space.id) == general)
        await #expect(throws: SpaceError.notFound) { _ = try await directory.chats(of: "nowhere") }
        try await account.store.patchSettings(of: space.id, set: ["notifyMode": "loud"])
        #expect(try await directory.space(space.id)?.notifyMode == nil)
        await account.store.close()
        while let change = await changes.next() { #expect([.space(space.id), .chats(of: space.id)].contains(change)) }
    }
}
