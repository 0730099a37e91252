import ProtoWire
import PushCrypto
import PushNode
import Testing

@testable import AnyServer

/// An admin that gives the owner another key than all others.
@Suite struct LeftOutTests {
    private let owner: TestAccount
    private let admin: TestAccount
    private let writer: TestAccount
    private let id: String

    init() async throws {
        owner = try await TestAccount()
        admin = try await TestAccount()
        writer = try await TestAccount()
        id = try await owner.store.createSpace(name: "Garden").id
        _ = try await owner.store.addMember(admin.id, role: .admin, to: id)
        _ = try await owner.store.addMember(writer.id, to: id)
        for account in [admin, writer] { try await account.take(id, from: owner) }
    }

    /// The export of the admin, with a rotation that gives the owner garbage.
    private func hostileExport() async throws -> [JSONObject] {
        let records = try await admin.store.aclRecords(of: id, from: 0, limit: .max)
        var log = try ACLLog(records: records, account: admin.keys.accountKey, mode: .full)
        let honest = try log.makeRecord([.changeReadKey(ACLKeys())], timestamp: 9)
        var record = try ACLRecord(decoding: RawRecord(decoding: honest.payload[...]).payload)
        var data = try ACLData(decoding: record.data)
        guard case .readKeyChange(var change) = try #require(data.contents.last) else { throw ChangeError.notCanonical }
        let position = try #require(
            change.accountKeys.firstIndex { (try? PublicKey(marshalled: $0.identity)) == owner.identity }
        )
        change.accountKeys[position].encryptedReadKey = [UInt8](repeating: 7, count: 80)[...]
        data.contents = [.readKeyChange(change)]
        record.data = data.marshalled()[...]
        let hostile = RawRecordWithId(RawRecord(signing: record.marshalled(), with: admin.keys.accountKey))
        var lines = try await admin.export(id).filter { ["space", "acl"].contains($0.string("kind")) }
        lines[0]["records"] = .integer(Int64(records.count + 1))
        return lines + [ExportLine.record(position: records.count, hostile).json]
    }

    @Test func everybodyTakesTheRecordAndTheOwnerGetsOut() async throws {
        let lines = try await hostileExport()
        let before = try #require(try await owner.store.space(id).push)
        for account in [owner, admin, writer] {
            #expect(try await account.store.importLines(lines) == .init(spaceId: id, records: 1, changes: 0))
        }
        // The owner is told, and what it can not do fails with the reason.
        let row = try await owner.store.space(id)
        #expect(row.lacksKey && row.status == .active && row.push == before)
        #expect(row.json.string("warning")?.contains("ask an admin to rotate it") == true)
        #expect(try await writer.store.space(id).json["warning"] == nil)
        let draft = try ChatDraft(text: "hello")
        await #expect { _ = try await owner.store.sendMessage(draft, to: ChatId.general(of: id), in: id) } throws: {
            guard case SpaceError.keyMissing(let reason) = $0 else { return false }
            let error = SpaceError.keyMissing(reason).apiError
            return error.code == .spaceKeyMissing && error.message.contains("was not given to this account")
        }
        await #expect(throws: SpaceError.self) { try await owner.store.updateSpace(id, name: "Mine") }
        let other = SigningKey().publicKey.accountAddress
        await #expect(throws: SpaceError.self) { _ = try await owner.store.addMember(other, to: id) }
        let keyring = SpaceKeyring(
            account: owner.keys.accountKey, directory: AccountSpaceDirectory(owner.store), verification: .full)
        await #expect(throws: ACLKeyUnavailable.self) { _ = try await keyring.keys(of: id) }

        // Its next record is nobody's fork.
        try await owner.store.removeMember(admin.id, from: id)
        try await writer.take(id, from: owner)
        let after = try await owner.store.space(id)
        let theirs = try await writer.store.space(id).push
        #expect(!after.lacksKey && after.push == theirs && after.push != before)
        _ = try await owner.store.sendMessage(draft, to: ChatId.general(of: id), in: id)
        try await writer.take(id, from: owner)
        let page = try await writer.store.messages(MessageQuery(), in: ChatId.general(of: id), of: id)
        #expect(page.messages.map(\.text) == ["hello"])
        let newcomer = try await TestAccount()
        _ = try await owner.store.addMember(newcomer.id, to: id)
        try await newcomer.take(id, from: owner)
        #expect(try await newcomer.store.space(id).push == after.push)
    }

    @Test func theRowIsAsItWasAfterARestart() async throws {
        _ = try await owner.store.importLines(try await hostileExport())
        let store = try await owner.reopened()
        #expect(try await store.space(id).lacksKey)
        #expect(try await store.members(of: id).count == 3)
    }
}
