import PushCrypto

/// What an account says about itself to the members of a space, in its log: `{"name": …}`.
struct MemberMetadata: Hashable, Sendable {
    // A log may hold up to 1024 bytes of it (protocol.md §2).
    private static let limits = JSONLimits(depth: 4, values: 64)

    /// What it calls itself, `nil` for nothing.
    let name: String?

    init(name: String?) {
        self.name = name
    }

    /// Reads what somebody says; what can not be read says nothing.
    init(_ bytes: [UInt8]) {
        let object = (try? JSONParser.parse(bytes, limits: Self.limits))?.object
        name = object?.string("name").flatMap { $0.isEmpty ? nil : $0 }
    }

    var bytes: [UInt8] {
        guard let name else { return [] }
        return JSONWriter.bytes(["name": .string(name)])
    }
}

/// What the members of a space call themselves, as far as an account can read it. Each metadata key is made once: to make
/// one costs more than to open a name.
struct MemberNames {
    private let keys: [Int: SigningKey]

    init(_ state: ACLState) {
        let generations = Set(state.accounts.compactMap { $0.encryptedMetadata.isEmpty ? nil : $0.generation })
        var keys: [Int: SigningKey] = [:]
        for position in generations { keys[position] = state.generations[position].metadataKey() }
        self.keys = keys
    }

    func name(of account: ACLAccount) -> String? {
        guard let key = account.generation.flatMap({ keys[$0] }) else { return nil }
        return MemberMetadata((try? key.decrypt(account.encryptedMetadata)) ?? []).name
    }
}
