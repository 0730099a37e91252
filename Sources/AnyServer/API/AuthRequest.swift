import PushCrypto

/// What the body of `POST /v1/auth` asks for, judged by itself.
struct AuthRequest: Sendable {
    /// Which account is wanted.
    enum Wanted: Sendable {
        /// A fresh one.
        case fresh
        /// That of a phrase.
        case phrase(String, index: UInt32, SigningKey, masterKey: SigningKey)
        /// One that is here.
        case known(id: String)
        /// That of a key which the host keeps. Not in the contract.
        case key(SigningKey, masterKey: SigningKey?)
    }

    let wanted: Wanted
    /// Whether another account that runs makes room.
    let replaces: Bool

    /// The shape of the body.
    static let schema = Schema.named(
        "AuthRequest",
        .object([
            .optional(
                "mnemonic", .string(maxBytes: 1024, isEmptyAbsent: true),
                "The account's phrase. With nothing else in the body a fresh account is made."),
            .optional("index", .integer(0...Int(Int32.max)), "Which of the phrase's accounts; 1 unless told."),
            .optional("accountId", .string(maxBytes: 128, isEmptyAbsent: true), "An account that is here, A…."),
            .optional("replace", .boolean, "Whether another account that runs makes room for this one."),
            .optional("accountKey", key, "For a host that keeps the key: base64 of 32 or 64 bytes."),
            .optional("masterKey", key, "Base64 of the key above accountKey, if the host shares it."),
        ]))

    private static let key = Schema.string(maxBytes: 128, isEmptyAbsent: true)

    /// Judges a body that ``schema`` has let through.
    ///
    /// - Throws: `request.invalid_field`, then `auth.bad_mnemonic`.
    init(_ body: JSONObject) throws(APIError) {
        let texts = ["mnemonic", "accountId", "accountKey"].filter { Self.text($0, of: body) != nil }
        guard texts.count < 2 else { throw Self.invalid(texts[1], "must not stand beside \(texts[0])") }
        let mnemonic = Self.text("mnemonic", of: body)
        if mnemonic == nil, body["index"] != nil, body["index"] != .null {
            throw Self.invalid("index", "belongs to a mnemonic, and there is none")
        }
        if texts.first != "accountKey", Self.text("masterKey", of: body) != nil {
            throw Self.invalid("masterKey", "belongs to an accountKey, and there is none")
        }
        replaces = body.bool("replace") ?? false
        if let mnemonic {
            let index = UInt32(body.integer("index") ?? Int(AccountKeys.defaultIndex))
            do throws(WalletError) {
                let (masterKey, accountKey) = try AccountKeys.derive(phrase: mnemonic, index: index)
                wanted = .phrase(mnemonic, index: index, accountKey, masterKey: masterKey)
            } catch {
                throw APIError(AuthError.badMnemonicCode, "\(error)")
            }
        } else if let id = Self.text("accountId", of: body) {
            wanted = .known(id: id)
        } else if let key = Self.text("accountKey", of: body) {
            let masterKey = try Self.text("masterKey", of: body).map { text throws(APIError) in
                try Self.key(text, "masterKey")
            }
            wanted = .key(try Self.key(key, "accountKey"), masterKey: masterKey)
        } else {
            wanted = .fresh
        }
    }

    /// The account that is wanted, `nil` for a fresh one.
    var accountId: String? {
        switch wanted {
        case .fresh: nil
        case .phrase(_, _, let key, _), .key(let key, _): key.publicKey.accountAddress
        case .known(let id): id
        }
    }

    private static func text(_ name: String, of body: JSONObject) -> String? {
        body.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func key(_ text: String, _ field: String) throws(APIError) -> SigningKey {
        let ascii = Array(text.utf8)
        if var bytes = SecretBase64.decode(ascii, 0..<ascii.count) {
            defer { Sodium.zero(&bytes) }
            if let key = try? SigningKey(seed: bytes) { return key }
            if let key = try? SigningKey(rawRepresentation: bytes) { return key }
        }
        throw invalid(field, "must be the base64 of a 32-byte seed or a 64-byte key")
    }

    private static func invalid(_ field: String, _ problem: String) -> APIError {
        APIError(.invalidField, "\(field) \(problem)", details: ["field": .string(field)])
    }
}
