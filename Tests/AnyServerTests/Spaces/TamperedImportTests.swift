import FoundationEssentials
import ProtoWire
import PushCrypto
import Testing

@testable import AnyServer

/// Imports from a hostile hand: whatever was altered, nothing changes.
@Suite struct TamperedImportTests {
    private let owner: TestAccount
    private let member: TestAccount
    private let id: String

    init() async throws {
        owner = try await TestAccount()
        member = try await TestAccount()
        id = try await owner.store.createSpace(name: "Garden").id
        _ = try await owner.store.addMember(member.id, to: id)
        try await member.take(id, from: owner)
        try await owner.store.rotateReadKey(of: id)
        try await owner.store.updateSpace(id, name: "Orchard", description: "Trees")
    }

    private func expectRefused(_ lines: [JSONObject], _ note: String) async throws {
        let (row, export) = (try await member.store.space(id), try await member.export(id))
        _ = member.events()
        await #expect(throws: SpaceError.self, "\(note)") { _ = try await member.store.importLines(lines) }
        #expect(try await member.store.space(id) == row, "\(note)")
        #expect(try await member.export(id) == export, "\(note)")
        #expect(member.events() == [], "\(note)")
    }

    @Test func everyAlteredByteIsNoticed() async throws {
        let lines = try await owner.export(id)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<150 {
            let position = Int.random(in: 0..<lines.count, using: &generator)
            var line = lines[position]
            let field = try #require(["header", "record", "change"].first { line[$0] != nil })
            var bytes = try #require(line.string(field).flatMap(Base64.decode))
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8(1) << UInt8.random(in: 0..<8)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            default: bytes.insert(.random(in: 0...255), at: Int.random(in: 0...bytes.count, using: &generator))
            }
            line[field] = .string(Data(bytes).base64EncodedString())
            // With the id that goes with the bytes too, which leaves it to signatures and rules.
            for fixesId in [false, true] {
                if fixesId, field != "header" { line["id"] = .string(CID(of: bytes).text) }
                var altered = lines
                altered[position] = line
                try await expectRefused(altered, "line \(position), \(field), id \(fixesId)")
            }
        }
        try await member.take(id, from: owner)
        #expect(try await member.store.space(id).name == "Orchard")
    }

    @Test func noRecordGetsASecondId() async throws {
        // Without the changes, which refer to records by their ids.
        let lines = try await owner.export(id).filter { $0.string("kind") != "details" }
        let position = lines.count - 1
        let bytes = try #require(lines[position].string("record").flatMap(Base64.decode))
        // An acceptor that nobody asked for, its time, and a field that nobody knows: none of it is under the
        // signature.
        for suffix in [[0x1A, 0x01, 0x07], [0x28, 0x07], [0x7A, 0x01, 0x07], [0x1A, 0x00]] as [[UInt8]] {
            var altered = lines
            altered[position]["record"] = .string(Data(bytes + suffix).base64EncodedString())
            altered[position]["id"] = .string(CID(of: bytes + suffix).text)
            try await expectRefused(altered, "\(suffix)")
        }
    }

    @Test func linesThatAreNone() async throws {
        let lines = try await owner.export(id)
        let space = lines[0]
        func with(_ changes: [(String, JSONValue?)], _ line: JSONObject) -> JSONObject {
            var line = line
            for (name, value) in changes { line[name] = value }
            return line
        }
        let batches: [(String, [JSONObject])] = [
            ("none", []), ("no space", Array(lines[1...])), ("two spaces", lines + [space]),
            ("unknown kind", lines + [["kind": "file"]]), ("no kind", lines + [[:]]),
            ("newer version", [with([("version", 2)], space)] + lines[1...]),
            ("no version", [with([("version", nil)], space)] + lines[1...]),
            ("no id", [with([("id", nil)], space)] + lines[1...]),
            ("another id", [with([("id", "bafyreinothing.1")], space)] + lines[1...]),
            ("negative count", [with([("records", -1)], space)] + lines[1...]),
            ("no base64", [space, lines[1], with([("record", "%%%")], lines[2])]),
            ("a number", [space, with([("record", 7)], lines[1])]),
            ("a fraction", [space, with([("index", 0.5)], lines[1])]),
            ("another's id", [space, with([("id", .string(lines[2].string("id") ?? ""))], lines[1])]),
            ("records swapped", [space, lines[1], lines[3], lines[2]]),
            ("position moved", [space, with([("index", 3)], lines[3])]),
            ("a change as details", lines.dropLast() + [with([("kind", "change")], lines[lines.count - 1])]),
        ]
        for (note, batch) in batches {
            let isSwap = note == "records swapped"
            if isSwap {
                // Their positions are in the lines, so this one goes on from where the log is not yet.
                try await expectRefused([space, lines[1], lines[2], with([("index", 4)], lines[3])], note)
            } else {
                try await expectRefused(batch, note)
            }
        }
    }

    @Test func aRecordAgainstTheRulesIsRefusedWithItsBatch() async throws {
        // The member, a writer, lets a friend in by itself.
        let friend = try await TestAccount()
        try await member.take(id, from: owner)
        let records = try await member.store.aclRecords(of: id, from: 0, limit: 9)
        let log = try ACLLog(records: records, account: member.keys.accountKey, mode: .full)
        var asOwner = try ACLLog(records: records, account: owner.keys.accountKey, mode: .full)
        let record = try asOwner.makeRecord(
            [.add([.init(identity: friend.identity, permissions: .writer)])], timestamp: 1
        )
        // The owner's record, signed by the member.
        let raw = try RawRecord(decoding: record.payload[...])
        var forged = try ACLRecord(decoding: raw.payload)
        forged.identity = member.identity.marshalled[...]
        let signed = RawRecordWithId(RawRecord(signing: forged.marshalled(), with: member.keys.accountKey))
        var lines = try await member.export(id)
        lines[0]["records"] = .integer(Int64(log.state.recordCount + 1))
        lines.append(ExportLine.record(position: log.state.recordCount, signed).json)
        await #expect(throws: SpaceError.self) { _ = try await friend.store.importLines(lines) }
        #expect(try await friend.store.spaces() == [])
        await #expect(throws: SpaceError.self) { _ = try await owner.store.importLines(lines) }
        #expect(try await owner.store.aclRecords(of: id, from: 0, limit: 9) == records)
    }

    @Test func aReadersChangeIsRefused() async throws {
        let reader = try await TestAccount()
        _ = try await owner.store.addMember(reader.id, role: .reader, to: id)
        let state = try ACLLog(
            records: try await owner.store.aclRecords(of: id, from: 0, limit: 9), account: reader.keys.accountKey,
            mode: .full
        ).state
        let body = try SpaceDetails(name: "Mine", description: nil, iconCid: nil).body
        let content = ChangeContent(counter: 100, createdAt: 1, kind: .spaceDetails, body: body)
        let change = try SignedChange(content, in: id, state, by: reader.keys.accountKey)
        let line = ExportLine.details(id: change.id, change: change.bytes).json
        try await expectRefused(try await owner.export(id) + [line], "reader")
        // In the chats' place it is refused as well.
        try await expectRefused(
            try await owner.export(id) + [
                ExportLine.change(id: change.id, change: change.bytes).json
            ], "reader, as a change")
    }

    @Test func aRemovedMembersLaterChangeIsRefused() async throws {
        try await member.take(id, from: owner)
        let records = try await owner.store.aclRecords(of: id, from: 0, limit: 9)
        let before = try ACLLog(records: records, account: member.keys.accountKey, mode: .full).state
        try await owner.store.removeMember(member.id, from: id)
        let head = try #require(try await owner.store.aclRecords(of: id, from: records.count, limit: 1).first)
        let body = try SpaceDetails(name: "Mine", description: nil, iconCid: nil).body
        let content = ChangeContent(counter: 100, createdAt: 1, kind: .spaceDetails, body: body)
        let lines = try await owner.export(id)
        #expect(lines.contains { $0.string("id") == head.id })
        // It has the keys of its time only, so it can claim no later one.
        let change = try SignedChange(content, in: id, before, by: member.keys.accountKey)
        #expect(change.aclHeadId == before.head && change.readKeyRecordId == before.currentReadKeyId)
        var bytes = change.bytes
        let (old, new) = (Array(before.head.utf8), Array(head.id.utf8))
        let start = try #require((0..<bytes.count - old.count).first { Array(bytes[$0..<$0 + old.count]) == old })
        bytes.replaceSubrange(start..<start + old.count, with: new)
        await #expect(throws: SpaceError.self) {
            let line = ExportLine.details(id: CID(of: bytes).text, change: bytes).json
            _ = try await owner.store.importLines(lines + [line])
        }
        #expect(try await owner.store.space(id).name == "Orchard")
    }

    @Test func aHeaderOfAnotherMakerIsRefused() async throws {
        let thief = SigningKey()
        let header = SpaceHeader(
            identity: thief.publicKey, timestamp: 1, spaceType: "any.space", replicationKey: 1
        ).signed(by: thief)
        let records = try await owner.store.aclRecords(of: id, from: 0, limit: 9)
        let lines =
            [ExportLine.space(id: header.spaceId, header: header.rawHeader, recordCount: records.count).json]
            + records.enumerated().map { ExportLine.record(position: $0, $1).json }
        await #expect(throws: SpaceError.self) { _ = try await member.store.importLines(lines) }
        #expect(try await member.store.spaces().map(\.id) == [id])
    }

    @Test func noErrorSaysWhatALineHeld() async throws {
        let lines = try await owner.export(id)
        var altered = lines
        altered[1]["record"] = "c2VjcmV0"
        do {
            _ = try await member.store.importLines(altered)
            Issue.record("it was taken")
        } catch let error as SpaceError {
            let text = error.apiError.message
            #expect(!text.contains("c2VjcmV0") && !text.contains("secret") && !text.contains("/"))
            #expect(text.hasPrefix("line 2: "))
            #expect(error.apiError.details?.integer("line") == 2)
        }
    }
}
