import PushCrypto

/// The replay of a member's ACL log against its signature checks, and how it grows with the log.
enum ACLPath {
    private static let length = 1000
    private static let timestamp: Int64 = 1_800_000_000

    static func run(_ report: inout Report) async throws {
        let owner = SigningKey()
        let records = try log(of: owner)
        let half = Array(records.prefix(records.count / 2))
        let checks = try records.map { try SignatureCheck($0, by: owner.publicKey) }
        let samples = try await measure(
            rounds: 12, batch: 1,
            [
                { for check in checks { keep(check.run()) } },
                { keep(try ACLLog(records: records, account: owner, mode: .network(networkKey: nil))) },
                { keep(try ACLLog(records: half, account: owner, mode: .network(networkKey: nil))) },
                { keep(try ACLLog(records: records, account: owner, mode: .full)) },
            ])
        let name = "ACL: replay of \(records.count) records"
        report.add(Row(name: name, samples[1], over: samples[0].median, "signature checks", budget: 1.3))
        report.add(Row(name: name + ", full", samples[3], over: samples[0].median, "signature checks", budget: 1.3))
        report.add(Row(name: name, samples[1], over: samples[2].median * 2, "2 × half of them", budget: 1.3))
        try await runAmongMany(&report, owner)
    }

    /// What a change of a role costs must not grow with the accounts that the log names.
    private static func runAmongMany(_ report: inout Report, _ owner: SigningKey) async throws {
        let (few, many, changes) = (500, 8000, 3000)
        let crowded = try log(of: owner, members: many, changes: changes)
        let sparse = try log(of: owner, members: few, changes: changes)
        let samples = try await measure(
            rounds: 5, batch: 1,
            [
                (crowded, changes), (crowded, 0), (sparse, changes), (sparse, 0),
            ].map { records, kept in
                let log = Array(records.dropLast(changes - kept))
                return { keep(try ACLLog(records: log, account: owner, mode: .full)) }
            })
        let base = samples[1].median + samples[2].median - samples[3].median
        report.add(
            Row(
                name: "ACL: \(changes) role changes among \(many) accounts", samples[0], over: base,
                "the accounts, and the changes among \(few)", budget: 1.3))
    }

    /// A log that names all its members first and then only changes their roles.
    private static func log(of owner: SigningKey, members count: Int, changes: Int) throws -> [RawRecordWithId] {
        let root = try RawRecordWithId.root(
            spaceId: "bench", account: owner, masterKey: SigningKey(), metadata: [], timestamp: timestamp
        )
        var log = try ACLLog(root: root, account: owner, mode: .full)
        var records = [root]
        let members = (0..<count).map { _ in SigningKey().publicKey }
        let roles: [ACLPermissions] = [.reader, .writer]
        let additions = stride(from: 0, to: count, by: 500).map { first in
            ACLChange.add(
                members[first..<min(first + 500, count)].map { member in
                    ACLChange.NewMember(identity: member, permissions: .writer)
                })
        }
        let steps =
            additions
            + (0..<changes).map { number in
                .setPermissions(of: members[number % count], to: roles[number / count % 2])
            }
        for step in steps {
            let record = try log.makeRecord([step], timestamp: timestamp)
            try log.append(record)
            records.append(record)
        }
        return records
    }

    /// A log as spaces have them: members come, roles change, keys rotate now and then.
    private static func log(of owner: SigningKey) throws -> [RawRecordWithId] {
        let root = try RawRecordWithId.root(
            spaceId: "bench", account: owner, masterKey: SigningKey(), metadata: [], timestamp: timestamp
        )
        var log = try ACLLog(root: root, account: owner, mode: .full)
        var records = [root]
        var members: [PublicKey] = []
        for number in 1..<length {
            let change: ACLChange
            if number.isMultiple(of: 250) {
                change = .changeReadKey(ACLKeys())
            } else if number.isMultiple(of: 4), let member = members.last {
                change = .setPermissions(of: member, to: .reader)
            } else if members.count < 32 {
                let member = SigningKey().publicKey
                members.append(member)
                change = .add([ACLChange.NewMember(identity: member, permissions: .writer)])
            } else {
                change = .setPermissions(
                    of: members[number % members.count], to: number.isMultiple(of: 2) ? .writer : .reader
                )
            }
            guard let record = try? log.makeRecord([change], timestamp: timestamp) else { continue }
            try log.append(record)
            records.append(record)
        }
        return records
    }
}

/// The check of one record's author signature, with everything else done beforehand.
private struct SignatureCheck {
    let key: PublicKey
    let signature: [UInt8]
    let message: [UInt8]

    init(_ record: RawRecordWithId, by key: PublicKey) throws {
        let raw = try RawRecord(decoding: record.payload[...])
        self.key = key
        signature = Array(raw.signature)
        message = Array(raw.payload)
    }

    func run() -> Bool {
        key.isValidSignature(signature, for: message)
    }
}
