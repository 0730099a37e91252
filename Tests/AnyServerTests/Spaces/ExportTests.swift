import FoundationEssentials
import PushCrypto
import Testing

@testable import AnyServer

@Suite struct ExportTests {
    private let owner: TestAccount
    private let member: TestAccount
    private let id: String

    init() async throws {
        owner = try await TestAccount()
        member = try await TestAccount()
        id = try await owner.store.createSpace(name: "Garden", description: "Beds and borders").id
        _ = try await owner.store.addMember(member.id, to: id)
    }

    @Test func aSpaceTravelsAsAFile() async throws {
        try await owner.store.rotateReadKey(of: id)
        let lines = try await owner.export(id)
        #expect(lines.map { $0.string("kind") } == ["space", "acl", "acl", "acl", "details"])
        #expect(lines[0].names == ["kind", "version", "id", "header", "records"] && lines[0].integer("records") == 3)
        #expect(try await member.store.importLines(lines) == .init(spaceId: id, records: 3, changes: 1))
        let (theirs, mine) = (try await owner.store.space(id), try await member.store.space(id))
        #expect((mine.name, mine.description, mine.push) == (theirs.name, theirs.description, theirs.push))
        #expect(mine.createdAt / 1000 == theirs.createdAt / 1000 && mine.ownRole == .writer && mine.settings == [:])
        #expect(try await member.export(id) == lines)
        #expect(member.events() == ["spaceChanged(\"\(id)\")"])

        // Again, and a part of it again.
        #expect(try await member.store.importLines(lines) == .init(spaceId: id))
        #expect(try await member.store.importLines(Array(lines[..<2])) == .init(spaceId: id))
        #expect(try await member.store.importLines([lines[0]]) == .init(spaceId: id))
        #expect(try await owner.store.importLines(lines) == .init(spaceId: id))
        #expect(member.events() == [])
        #expect(try await member.store.space(id) == mine)
    }

    @Test func aFileHoldsNothingThatAnOutsiderCanRead() async throws {
        try await owner.store.setProfileName("Ada Lovelace")
        try await owner.store.patchSettings(of: id, set: ["notifyMode": "mentions"])
        let lines = try await owner.export(id)
        var text = ""
        for line in lines {
            text += String(decoding: JSONWriter.bytes(.object(line)), as: UTF8.self)
            for field in ["header", "record", "change"] {
                guard let bytes = line.string(field).flatMap(Base64.decode) else { continue }
                text += String(decoding: bytes, as: UTF8.self)
            }
        }
        for secret in ["Garden", "borders", "Ada Lovelace", "mentions"] { #expect(!text.contains(secret)) }
    }

    @Test func aLongLogComesInPagesAndBatches() async throws {
        let log = try LongLog(owner: owner, member: member, recordCount: 1300)
        let reader = try await TestAccount(log.member)
        let lines = log.lines
        // The record that lets the account in is the last, so only the last batch says what the space is to it.
        for start in stride(from: 1, to: lines.count, by: 400) {
            let batch = [lines[0]] + lines[start..<min(start + 400, lines.count)]
            let result = try await reader.store.importLines(Array(batch))
            #expect(result.records == batch.count - 1)
            let status = try await reader.store.space(log.id).status
            #expect(status == (start + 400 >= lines.count ? .active : .unknown))
        }
        #expect(try await reader.export(log.id) == lines)
        var cursor = try await reader.store.exportPage(of: log.id).next
        #expect(cursor == "acl:512")
        cursor = try await reader.store.exportPage(of: log.id, cursor: "acl:1024").next
        #expect(cursor == "chat:")
        let last = try await reader.store.exportPage(of: log.id, cursor: cursor)
        #expect(last.lines == [] && last.next == nil)
    }

    @Test func aLogThatNeverLetsTheAccountInLeavesNothing() async throws {
        let log = try LongLog(owner: owner, member: member, recordCount: 10)
        let stranger = try await TestAccount()
        let lines = log.lines
        #expect(try await stranger.store.importLines(Array(lines[..<6])).records == 5)
        #expect(try await stranger.store.space(log.id).status == .unknown)
        await #expect(throws: SpaceError.notActive(.unknown)) {
            try await stranger.store.updateSpace(log.id, name: "x")
        }
        await #expect(throws: SpaceError.notMember) {
            _ = try await stranger.store.importLines([lines[0]] + lines[6...])
        }
        #expect(try await stranger.store.spaces() == [])
        await #expect(throws: SpaceError.gap(expected: 0, found: 5)) {
            _ = try await stranger.store.importLines([lines[0]] + lines[6...])
        }
        await #expect(throws: SpaceError.notMember) { _ = try await stranger.store.importLines(lines) }
        #expect(try await stranger.store.spaces() == [])
    }

    @Test func aShorterLogChangesNothing() async throws {
        let short = try await owner.export(id)
        try await owner.store.rotateReadKey(of: id)
        try await member.take(id, from: owner)
        let before = try await member.store.space(id)
        #expect(try await member.store.importLines(short) == .init(spaceId: id))
        #expect(try await member.store.space(id) == before)
    }

    @Test func aForkIsRefusedByBothIds() async throws {
        let admin = try await TestAccount()
        _ = try await owner.store.addMember(admin.id, role: .admin, to: id)
        try await admin.take(id, from: owner)
        try await admin.store.rotateReadKey(of: id)
        try await owner.store.rotateReadKey(of: id)
        try await owner.store.rotateReadKey(of: id)
        let theirs = try await owner.store.aclRecords(of: id, from: 0, limit: 9)
        let mine = try await admin.store.aclRecords(of: id, from: 0, limit: 9)
        let (row, export) = (try await admin.store.space(id), try await admin.export(id))
        let fork = SpaceError.fork(position: 3, local: mine[3].id, imported: theirs[3].id)
        await #expect(throws: fork) { try await admin.take(id, from: owner) }
        await #expect(throws: SpaceError.fork(position: 3, local: theirs[3].id, imported: mine[3].id)) {
            try await owner.take(id, from: admin)
        }
        #expect(fork.apiError.message.contains(mine[3].id) && fork.apiError.message.contains(theirs[3].id))
        #expect(fork.apiError.code.status == .conflict)
        #expect(try await admin.store.space(id) == row)
        #expect(try await admin.export(id) == export)
    }

    @Test func whoIsNoMemberIsRefused() async throws {
        let stranger = try await TestAccount()
        await #expect(throws: SpaceError.notMember) { try await stranger.take(id, from: owner) }
        #expect(try await stranger.store.spaces() == [])
        #expect(stranger.events() == [])
        try await owner.store.removeMember(member.id, from: id)
        await #expect(throws: SpaceError.notMember) { try await member.take(id, from: owner) }
    }

    @Test func aSpaceThatWasDeletedHereStaysDeleted() async throws {
        try await member.take(id, from: owner)
        try await member.store.deleteSpace(id)
        await #expect(throws: SpaceError.deletedBefore) { try await member.take(id, from: owner) }
        let row = try await member.store.space(id)
        #expect(row.status == .deleted && !row.wasRemoved)
    }

    @Test func aSpaceThatWasDeletedHereComesBackOnPurpose() async throws {
        try await member.take(id, from: owner)
        try await member.store.patchSettings(of: id, set: ["notifyMode": "none"])
        let before = try await member.store.space(id)
        try await member.store.deleteSpace(id)
        // In batches: only a whole log makes the tombstone a space again.
        let lines = try await owner.export(id)
        let half = Array(lines.prefix(2))
        _ = try await member.store.importLines(half, restores: true)
        #expect(try await member.store.spaces(status: .active) == [])
        let result = try await member.store.importLines(lines, restores: true)
        #expect(result.spaceId == id)
        #expect(try await member.store.space(id) == before)
        try await member.store.deleteSpace(id)
        await #expect(throws: SpaceError.deletedBefore) { try await member.take(id, from: owner) }
        _ = try await member.store.importLines(lines, restores: true)
        #expect(try await member.store.space(id) == before)
    }

    @Test func aTombstoneStaysWhenItsSpaceIsNobodysAnyMore() async throws {
        try await member.take(id, from: owner)
        try await member.store.deleteSpace(id)
        let before = try await member.store.space(id)
        try await owner.store.removeMember(member.id, from: id)
        let lines = try await owner.export(id)
        _ = try await member.store.importLines(Array(lines.prefix(2)), restores: true)
        await #expect(throws: SpaceError.notMember) { _ = try await member.store.importLines(lines, restores: true) }
        #expect(try await member.store.space(id) == before)
        await #expect(throws: SpaceError.deletedBefore) { _ = try await member.store.importLines(lines) }
    }

    @Test func whoAskedToJoinHasAPendingRowWithoutKeys() async throws {
        let joiner = try await TestAccount()
        let invite = SigningKey()
        var log = try ACLLog(
            records: try await owner.store.aclRecords(of: id, from: 0, limit: 9), account: owner.keys.accountKey,
            mode: .full
        )
        var lines = try await owner.export(id).filter { $0.string("kind") != "details" }
        func add(_ change: ACLChange, by author: TestAccount) throws {
            let record = try log.makeRecord([change], by: author.keys.accountKey, timestamp: 1)
            lines.append(ExportLine.record(position: log.state.recordCount, record).json)
            try log.admit(record)
            lines[0]["records"] = .integer(Int64(log.state.recordCount))
        }
        try add(.inviteToAsk(key: invite.publicKey), by: owner)
        try add(.askToJoin(inviteKey: invite, metadata: Array(#"{"name":"Joe"}"#.utf8)), by: joiner)
        let result = try await joiner.store.importLines(lines)
        #expect(result.records == 4)
        let row = try await joiner.store.space(id)
        #expect(row.status == .joining && row.ownRole == .none && row.push == nil && row.json["push"] == nil)
        await #expect(throws: SpaceError.notActive(.joining)) { try await joiner.store.rotateReadKey(of: id) }

        _ = try await owner.store.importLines(lines)
        let members = try await owner.store.members(of: id)
        #expect(members.last?.status == .joining && members.last?.name == "Joe")
        let requestId = try #require(log.state.requests.first?.recordId)
        try add(.accept(requestId: requestId, permissions: .reader), by: owner)
        _ = try await joiner.store.importLines(lines)
        let active = try await joiner.store.space(id)
        #expect(active.status == .active && active.ownRole == .reader)
        #expect(active.push == (try await owner.store.space(id)).push)
        try add(.askToLeave, by: joiner)
        _ = try await joiner.store.importLines(lines)
        #expect(try await joiner.store.space(id).status == .leaving)
    }

    @Test(arguments: ["", "acl:", "acl:0", "acl:-1", "acl:x", "acl:99999999999999999999", "chat", "chat:x/../y"])
    func aCursorThatIsNone(_ cursor: String) async throws {
        await #expect(throws: SpaceError.badCursor) { _ = try await owner.store.exportPage(of: id, cursor: cursor) }
    }
}

/// A log of records that only change the read key, but for the last, which lets the member in.
private struct LongLog {
    let id: String
    let member: AccountKeys
    let lines: [JSONObject]

    init(owner: TestAccount, member: TestAccount, recordCount: Int) throws {
        let account = owner.keys.accountKey
        let header = SpaceHeader(
            identity: account.publicKey, timestamp: 1, spaceType: "any.space", replicationKey: 1
        ).signed(by: account)
        let root = try RawRecordWithId.root(
            spaceId: header.spaceId, account: account, masterKey: account, metadata: [], timestamp: 1
        )
        var log = try ACLLog(root: root, account: account, mode: .full)
        var lines = [ExportLine.space(id: header.spaceId, header: header.rawHeader, recordCount: recordCount).json]
        lines.append(ExportLine.record(position: 0, root).json)
        while log.state.recordCount < recordCount {
            let change: ACLChange =
                log.state.recordCount == recordCount - 1
                ? .add([.init(identity: member.identity, permissions: .reader)]) : .changeReadKey(ACLKeys())
            let record = try log.makeRecord([change], timestamp: 1)
            lines.append(ExportLine.record(position: log.state.recordCount, record).json)
            try log.admit(record)
        }
        (id, self.member, self.lines) = (header.spaceId, member.keys, lines)
    }
}
