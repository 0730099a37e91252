import ProtoWire
import PushCrypto
import Testing

@testable import AnyServer

/// Logs with many accounts and many records.
@Suite struct LargeLogTests {
    /// A log as somebody writes it who wants it to be expensive.
    private struct HostileLog {
        let owner = SigningKey()
        let header: SpaceHeader.Signed
        private(set) var records: [RawRecordWithId]

        init(member: TestAccount) throws {
            header = SpaceHeader(
                identity: owner.publicKey, timestamp: 1, spaceType: "any.space", replicationKey: 1
            ).signed(by: owner)
            let root = try RawRecordWithId.root(
                spaceId: header.spaceId, account: owner, masterKey: owner, metadata: [], timestamp: 1
            )
            var log = try ACLLog(root: root, account: owner, mode: .full)
            let add = ACLChange.add([.init(identity: member.identity, permissions: .writer)])
            records = [root, try log.makeRecord([add], timestamp: 1)]
        }

        mutating func append(_ content: ACLContent) {
            var data = ACLData()
            data.contents = [content]
            append(data.marshalled())
        }

        mutating func append(_ data: [UInt8]) {
            var record = ACLRecord()
            record.prevId = WireString(records[records.count - 1].id)
            record.identity = owner.publicKey.marshalled[...]
            record.data = data[...]
            records.append(RawRecordWithId(RawRecord(signing: record.marshalled(), with: owner)))
        }

        mutating func add(_ accounts: [PublicKey]) {
            var add = ACLContent.AccountsAdd()
            add.additions = accounts.map { account in
                var addition = ACLContent.Addition()
                addition.identity = account.marshalled[...]
                addition.permissions = .writer
                return addition
            }
            append(.accountsAdd(add))
        }

        mutating func change(_ account: PublicKey, to permissions: ACLPermissions) {
            var change = ACLContent.PermissionChange()
            (change.identity, change.permissions) = (account.marshalled[...], permissions)
            append(.permissionChange(change))
        }

        var lines: [JSONObject] {
            [ExportLine.space(id: header.spaceId, header: header.rawHeader, recordCount: records.count).json]
                + records.enumerated().map { ExportLine.record(position: $0.offset, $0.element).json }
        }
    }

    private func accounts(_ count: Int) -> [PublicKey] { (0..<count).map { _ in SigningKey().publicKey } }

    @Test func aRecordIsWorthWhatItChanges() async throws {
        let member = try await TestAccount()
        var hostile = try HostileLog(member: member)
        let crowd = accounts(600)
        hostile.add(crowd)
        for number in 0..<300 { hostile.change(crowd[number], to: number % 2 == 0 ? .reader : .admin) }
        var log = try SpaceLog(root: hostile.records[0], account: member.keys.accountKey)
        var looks = 0
        for record in hostile.records.dropFirst() {
            try log.admit(record)
            looks += log.log.changedAccounts.count
        }
        // Everybody once when they come, and one for each change; all accounts at each record would be 180,000.
        #expect(looks == 1 + crowd.count + 300)
        #expect(log.byteCount == hostile.records.map(\.payload.count).reduce(0, +))
        // It says the same as a look at everybody.
        for (position, account) in crowd.enumerated() {
            #expect(log.state.permissions(of: account).mayWrite == (position >= 300 || position % 2 == 1))
        }
    }

    @Test func theLogIsWhollyReadAfterARestart() async throws {
        let member = try await TestAccount()
        var hostile = try HostileLog(member: member)
        hostile.add(accounts(50))
        for number in 0..<300 { hostile.change(member.identity, to: number % 2 == 0 ? .reader : .writer) }
        _ = try await member.store.importLines(hostile.lines)
        let store = try await member.reopened()
        // Many at once replay it once, and none of them in another's way.
        try await withThrowingTaskGroup(of: Int.self) { group in
            let id = hostile.header.spaceId
            for _ in 0..<8 { group.addTask { try await store.members(of: id).count } }
            for try await count in group { #expect(count == 52) }
        }
        #expect(try await store.space(hostile.header.spaceId).ownRole == .writer)
    }

    @Test(arguments: SpaceLogLimits.Measure.allCases) func aLogHasBounds(_ measure: SpaceLogLimits.Measure) async throws
    {
        var limits = SpaceLogLimits()
        let limit = [.accounts: 10, .records: 5, .bytes: 4096][measure] ?? 0
        switch measure {
        case .accounts: limits.accounts = limit
        case .records: limits.records = limit
        case .bytes: limits.bytes = limit
        }
        let member = try await TestAccount(logLimits: limits)
        var hostile = try HostileLog(member: member)
        let within = hostile.lines
        switch measure {
        case .accounts: hostile.add(accounts(9))
        case .records: for _ in 0..<4 { hostile.change(member.identity, to: .reader) }
        case .bytes: hostile.add(accounts(100))
        }
        let error = SpaceError.logTooLarge(measure, limit: limit)
        await #expect(throws: error) { _ = try await member.store.importLines(hostile.lines) }
        #expect(try await member.store.spaces() == [])
        #expect(error.apiError.message.contains("\(limit) \(measure.rawValue)"))
        _ = try await member.store.importLines(within)
        await #expect(throws: error) { _ = try await member.store.importLines(hostile.lines) }
        #expect(try await member.store.export(hostile.header.spaceId).count == within.count)
    }

    @Test func whatIsWrittenHereHasTheSameBounds() async throws {
        let owner = try await TestAccount(logLimits: SpaceLogLimits(records: 2))
        let id = try await owner.store.createSpace(name: "Garden").id
        try await owner.store.rotateReadKey(of: id)
        await #expect(throws: SpaceError.logTooLarge(.records, limit: 2)) {
            try await owner.store.rotateReadKey(of: id)
        }
        #expect(try await owner.store.aclRecords(of: id, from: 0, limit: 9).count == 2)
    }

    @Test func listsOfNothingAreNotKept() async throws {
        let member = try await TestAccount()
        var hostile = try HostileLog(member: member)
        // Additions of two bytes each, which would take a hundred each.
        let additions = [UInt8]((0..<40_000).flatMap { _ in [0x0A, 0x00] as [UInt8] })
        var content = ProtoWriter()
        content.bytes(11, additions)
        var data = ProtoWriter()
        data.bytes(1, content.bytes)
        hostile.append(data.bytes)
        await #expect {
            _ = try await member.store.importLines(hostile.lines)
        } throws: { error in
            guard case SpaceError.badLine(number: 4, reason: let reason) = error else { return false }
            return reason.contains("more than 32768 elements")
        }
    }

    @Test func whatIsHeldOfLogsIsBounded() async throws {
        let member = try await TestAccount()
        var hostile = try HostileLog(member: member)
        hostile.add(accounts(20))
        let log = try SpaceLog(root: hostile.records[0], account: member.keys.accountKey)
        var cache = SpaceLogCache(weightLimit: 6)
        for number in 0..<4 { cache.insert(log, for: "\(number)") }
        #expect(cache.count == 3 && cache["0"] == nil && cache["3"] != nil)
        var large = log
        for record in hostile.records.dropFirst() { try large.admit(record) }
        cache.insert(large, for: "large")
        #expect(cache.count == 1 && cache["large"] != nil)
        cache.remove("large")
        #expect(cache.count == 0)
    }
}

extension AccountStore {
    fileprivate func export(_ id: String) async throws -> [JSONObject] {
        try await AnyServerTests.export(id, of: self)
    }
}
