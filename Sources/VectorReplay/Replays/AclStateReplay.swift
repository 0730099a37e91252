import PushCrypto

/// A log of acl.json and what every account makes of it.
struct AclStateReplay {
    private let vector: JSON

    init(_ vector: JSON) {
        self.vector = vector
    }

    func replay() throws {
        let records = try vector.aclRecords()
        let networkKey = try PublicKey(rawRepresentation: vector.hex("networkKeyPub"))
        try expect(networkKey.networkId, equals: vector.string("networkId"), "networkId")
        for view in try vector.array("views") {
            let name = try view.string("name")
            let account = try SigningKey(rawRepresentation: view.hex("signKey"))
            do {
                let network = ACLVerification.network(networkKey: networkKey)
                try replay(view, "error", try build(records, account, network))
                try replay(view, "error", try build(records, account, .network(networkKey: nil)))
                try replay(view, "fullValidationError", try build(records, account, .full))
            } catch {
                throw VectorMismatch("view of \(name): \(error)")
            }
        }
    }

    private func build(
        _ records: [RawRecordWithId], _ account: SigningKey, _ mode: ACLVerification
    ) throws -> Result<ACLState, ACLError> {
        do throws(ACLError) {
            return .success(try ACLLog(records: records, account: account, mode: mode).state)
        } catch {
            return .failure(error)
        }
    }

    private func replay(_ view: JSON, _ errorField: String, _ built: Result<ACLState, ACLError>) throws {
        guard view[errorField] == nil else { return try expectError(errorField) { try built.get() } }
        let state = try built.get()
        try expectSpace(view, state)
        try expectAccounts(view, state)
        try expectInvites(view, state)
        try expectGenerations(view, state)
        try expectPushKeys(view, state)
    }

    private func expectSpace(_ view: JSON, _ state: ACLState) throws {
        let records = try vector.aclRecords()
        try expect(state.id, equals: records.first?.id ?? "", "id, the first record's")
        try expect(state.head, equals: records.last?.id ?? "", "head, the last record's id")
        try expect(state.recordCount, equals: records.count, "number of records")
        try expect(state.identity?.accountAddress, equals: view.string("account"), "account")
        try expect(state.isOneToOne, equals: view.bool("isOneToOne"), "isOneToOne")
        try expect(state.owner?.accountAddress, equals: view["owner"]?.stringValue, "owner")
        if vector["sharedKey"] != nil {
            let shared = try SigningKey(rawRepresentation: vector.hex("sharedKey"))
            try expect(state.owner, equals: shared.publicKey, "owner, the public half of sharedKey")
        }
        try expect(state.permissions.description, equals: view.string("permissions"), "permissions")
        try expect(Int(state.permissions.rawValue), equals: view.int("permissionsValue"), "permissionsValue")
        try expect(state.status.rawValue, equals: view.string("status"), "status")
    }

    private func expectAccounts(_ view: JSON, _ state: ACLState) throws {
        let accounts = try view.array("accounts")
        try expect(state.accounts.count, equals: accounts.count, "number of accounts")
        let members = try accounts.filter { try $0.string("permissions") != "none" }.count
        try expect(state.memberCount, equals: members, "number of members")
        try expect(state.members.count, equals: members, "members")
        for expected in accounts {
            let address = try expected.string("account")
            let identity = try PublicKey(accountAddress: address)
            guard let account = state.account(identity) else { throw VectorMismatch("no account \(address)") }
            let permissions = account.permissions.description
            try expect(permissions, equals: expected.string("permissions"), "\(address) permissions")
            try expect(account.status.rawValue, equals: expected.string("status"), "\(address) status")
            let generation = account.generation.map { state.generations[$0].recordId }
            try expect(generation, equals: expected.string("keyRecordId"), "\(address) keyRecordId")
            guard expected["metadataError"] == nil else {
                try expectError("\(address) metadata") { try state.metadata(of: identity) }
                continue
            }
            let metadata = Array((expected["metadata"]?.stringValue ?? "").utf8)
            try expect(state.metadata(of: identity), equals: metadata, "\(address) metadata")
        }
    }

    private func expectInvites(_ view: JSON, _ state: ACLState) throws {
        let invites = try view.array("invites")
        try expect(state.invites.count, equals: invites.count, "number of invites")
        for expected in invites {
            let id = try expected.string("id")
            guard let invite = state.invite(id) else { throw VectorMismatch("no invite \(id)") }
            try expect(invite.recordId, equals: id, "invite \(id) id")
            try expect(invite.key.rawRepresentation, equals: expected.hex("key"), "invite \(id) key")
            try expect(Int(invite.type.rawValue), equals: expected.int("type"), "invite \(id) type")
            let permissions = invite.permissions.description
            try expect(permissions, equals: expected.string("permissions"), "invite \(id) permissions")
        }
        // Who holds the key of an invite without approval reads what members read; others' keys open nothing.
        guard let current = try? state.currentReadKey() else { return }
        for (name, key) in try vector.object("invitePrivateKeys") {
            guard let raw = key.stringValue.flatMap(Hexadecimal.decode) else {
                throw VectorMismatch("\(name) is no hex")
            }
            let inviteKey = try SigningKey(rawRepresentation: raw)
            let isOpen = state.invites.contains { $0.key == inviteKey.publicKey && $0.type == .anyoneCanJoin }
            try expect(state.readKey(openedBy: inviteKey) == (isOpen ? current : nil), "read key by invite \(name)")
        }
    }

    private func expectGenerations(_ view: JSON, _ state: ACLState) throws {
        let keys = try view.object("keys")
        // An outsider's one-to-one space has no entry at all, which says as much as an empty one.
        let ids = Set(state.generations.map(\.recordId))
        for id in keys.keys {
            try expect(ids.contains(id), "no generation \(id)")
        }
        var encryptionKeyIds: [String: JSON] = [:]
        for generation in state.generations {
            let expected = keys[generation.recordId] ?? .object([:])
            let what = "keys \(generation.recordId)"
            try expectKey(generation.readKey?.rawBytes(), expected, "readKey", what)
            try expectKey(generation.metadataKey()?.rawBytes(), expected, "metadataPrivKey", what)
            try expectKey(generation.metadataPublicKey?.rawRepresentation, expected, "metadataPubKey", what)
            if let key = generation.encryptionKey() { encryptionKeyIds[key.keyId] = .string(generation.recordId) }
        }
        try expect(encryptionKeyIds, equals: view.object("encKeyIds"), "encKeyIds")
        try expect(state.currentReadKeyId, equals: view.string("currentReadKeyId"), "currentReadKeyId")
        if let shared = vector["sharedMetadataKey"], view["firstMetadataKey"] != nil {
            try expect(shared, equals: view["firstMetadataKey"] ?? .null, "sharedMetadataKey")
        }
    }

    private func expectKey(_ found: [UInt8]?, _ expected: JSON, _ field: String, _ what: String) throws {
        try expect(found, equals: expected[field] == nil ? nil : expected.hex(field), "\(what) \(field)")
    }
}
