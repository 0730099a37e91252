import PushCrypto

/// The key that the host of a managed server brings (`POST /v1/auth`).
struct AuthKey: Sendable {
    let accountKey: SigningKey
    let masterKey: SigningKey?

    /// The contract leaves the body open. Ours takes the account key itself, as base64 of its 32-byte seed or of the 64
    /// bytes of seed and public key, or the phrase that it follows from.
    static let schema = Schema.named("AuthKey", .object([
        .optional("accountKey", key, "Base64 of the account key: 32 or 64 bytes."),
        .optional("masterKey", key, "Base64 of the key above it, if the host shares it."),
        .optional(
            "mnemonic", .string(maxBytes: 1024, isEmptyAbsent: true), "The account's phrase, in place of accountKey."),
        .optional("index", .integer(0...Int(Int32.max)), "Which of the phrase's accounts; 1 unless told."),
    ]))

    private static let key = Schema.string(maxBytes: 128, isEmptyAbsent: true)

    /// Takes the key from a body that ``schema`` has let through.
    ///
    /// - Throws: `request.missing_field` or `request.invalid_field`.
    init(_ body: JSONObject) throws(APIError) {
        let account = Self.text("accountKey", of: body)
        let mnemonic = Self.text("mnemonic", of: body)
        switch (account, mnemonic) {
        case (nil, nil):
            throw APIError(.missingField, "accountKey or mnemonic required", details: ["field": "accountKey"])
        case (_?, _?): throw Self.invalid("mnemonic", "must not stand beside accountKey")
        case (let account?, nil):
            if body["index"] != nil, body["index"] != .null {
                throw Self.invalid("index", "belongs to a mnemonic; an accountKey has none")
            }
            accountKey = try Self.key(account, "accountKey")
            masterKey = try Self.text("masterKey", of: body).map { text throws(APIError) in
                try Self.key(text, "masterKey")
            }
        case (nil, let mnemonic?):
            guard Self.text("masterKey", of: body) == nil else {
                throw Self.invalid("masterKey", "follows from the mnemonic; leave it out")
            }
            let index = UInt32(body.integer("index") ?? Int(AccountKeys.defaultIndex))
            do throws(WalletError) {
                (masterKey, accountKey) = try AccountKeys.derive(phrase: mnemonic, index: index)
            } catch {
                throw Self.invalid("mnemonic", "can not be used: \(error)")
            }
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

/// Why an account is not started or stopped.
enum AuthError: APIErrorConvertible {
    /// The server stands alone: its owner's account runs as long as it does.
    case notManaged
    /// Another server has the account's directory.
    case inUse(RunningServer)

    static let notManagedCode = ErrorCode("auth.not_managed", .forbidden)
    static let inUseCode = ErrorCode("auth.in_use", .conflict)

    var apiError: APIError {
        switch self {
        case .notManaged:
            APIError(Self.notManagedCode, "only a managed server starts and stops accounts over HTTP")
        case .inUse(let server): APIError(Self.inUseCode, "the account is in use by \(server)")
        }
    }
}
