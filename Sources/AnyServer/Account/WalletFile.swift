import PushCrypto
import SecretFiles

/// The content of `wallet.key`, JSON of version 1:
///
/// ```json
/// {
///   "format": "anypush.wallet",
///   "version": 1,
///   "accountId": "A…",
///   "keys": { "accountIndex": 1, "masterKey": "…", "accountKey": "…", "deviceKey": "…" }
/// }
/// ```
///
/// Each key is the base64 of its 32-byte seed. The phrase is not there: it is shown once, and what a server needs follows
/// from it. In an encrypted wallet `sealedKeys` stands in place of `keys`:
///
/// ```json
/// {
///   "kdf": "argon2id13", "operations": 4, "memory": 67108864, "salt": "…",
///   "cipher": "xsalsa20poly1305", "nonce": "…", "box": "…"
/// }
/// ```
///
/// `box` is libsodium's secretbox over the JSON of the `keys` object, under the 32-byte Argon2id (version 1.3) hash of the
/// passkey; `salt` (16 bytes), `nonce` (24 bytes) and `box` are base64. Readers ignore fields that they do not know.
enum WalletFile {
    static let format = "anypush.wallet"
    static let version: UInt64 = 1
    /// Far more than any wallet, in bytes.
    static let maximumByteCount = 16 << 10

    private static let derivation = "argon2id13"
    private static let cipher = "xsalsa20poly1305"

    /// What is in the file.
    struct Content {
        var accountIndex: UInt32
        var masterKey: SigningKey
        var accountKey: SigningKey
        var deviceKey: SigningKey
    }

    /// The file's bytes. The caller zeroes them.
    static func encode(
        _ content: Content, passkey: Passkey?, cost: PasskeyBox.Cost
    ) throws(PasskeyBox.Failure) -> [UInt8] {
        let sealed = try passkey.map { passkey throws(PasskeyBox.Failure) in
            var keys = SecretJSONWriter.object { write(content, to: &$0) }
            defer { Sodium.zero(&keys) }
            return try PasskeyBox(sealing: keys, passkey: passkey, cost: cost)
        }
        return SecretJSONWriter.object { file in
            file.text("format", format)
            file.number("version", version)
            file.text("accountId", content.accountKey.publicKey.accountAddress)
            if let sealed {
                file.object("sealedKeys") { write(sealed, to: &$0) }
            } else {
                file.object("keys") { write(content, to: &$0) }
            }
        }
    }

    private static func write(_ content: Content, to keys: inout SecretJSONWriter) {
        keys.number("accountIndex", UInt64(content.accountIndex))
        keys.seed("masterKey", of: content.masterKey)
        keys.seed("accountKey", of: content.accountKey)
        keys.seed("deviceKey", of: content.deviceKey)
    }

    private static func write(_ sealed: PasskeyBox, to object: inout SecretJSONWriter) {
        object.text("kdf", derivation)
        object.number("operations", sealed.cost.operations)
        object.number("memory", sealed.cost.memory)
        object.base64("salt", sealed.salt)
        object.text("cipher", cipher)
        object.base64("nonce", sealed.nonce)
        object.base64("box", sealed.box)
    }

    /// Reads the account id only, which needs no passkey.
    static func accountId(in bytes: [UInt8], path: String) throws(WalletError) -> String {
        try header(in: bytes, path: path).accountId
    }

    /// Reads the file's bytes.
    static func decode(_ bytes: [UInt8], passkey: Passkey?, path: String) throws(WalletError) -> Content {
        let (file, accountId) = try header(in: bytes, path: path)
        let content: Content
        switch (file.object("keys"), file.object("sealedKeys")) {
        case (let keys?, nil):
            guard passkey == nil else { throw .notEncrypted(path: path) }
            content = try self.content(keys, in: bytes, path: path)
        case (nil, let sealed?):
            let box = try box(sealed, in: bytes, path: path)
            guard let passkey else { throw .passkeyRequired(path: path) }
            var opened = try open(box, passkey: passkey, path: path)
            defer { Sodium.zero(&opened) }
            content = try self.content(try object(in: opened, path: path), in: opened, path: path)
        default:
            throw .damaged(path: path, reason: "expected either keys or sealedKeys")
        }
        let found = content.accountKey.publicKey.accountAddress
        guard found == accountId else { throw .damaged(path: path, reason: "its keys are not those of its accountId") }
        return content
    }

    private static func header(
        in bytes: [UInt8], path: String
    ) throws(WalletError) -> (file: SecretJSONReader.Object, accountId: String) {
        let file = try object(in: bytes, path: path)
        guard file.text("format", in: bytes) == format else { throw .foreign(path: path) }
        guard let version = file.number("version") else { throw .damaged(path: path, reason: "no version") }
        guard version == Self.version else { throw .unsupportedVersion(path: path, found: version) }
        guard
            let accountId = file.text("accountId", in: bytes), (try? PublicKey(accountAddress: accountId)) != nil
        else { throw .damaged(path: path, reason: "no accountId") }
        return (file, accountId)
    }

    private static func object(in bytes: [UInt8], path: String) throws(WalletError) -> SecretJSONReader.Object {
        do throws(SecretJSONReader.Malformed) { return try SecretJSONReader.read(bytes) } catch {
            throw .damaged(path: path, reason: "not JSON of a wallet at byte \(error.offset)")
        }
    }

    private static func content(
        _ keys: SecretJSONReader.Object, in bytes: [UInt8], path: String
    ) throws(WalletError) -> Content {
        guard let index = keys.number("accountIndex"), let index = UInt32(exactly: index) else {
            throw .damaged(path: path, reason: "no accountIndex")
        }
        return Content(
            accountIndex: index,
            masterKey: try key("masterKey", of: keys, in: bytes, path: path),
            accountKey: try key("accountKey", of: keys, in: bytes, path: path),
            deviceKey: try key("deviceKey", of: keys, in: bytes, path: path)
        )
    }

    private static func key(
        _ name: String, of keys: SecretJSONReader.Object, in bytes: [UInt8], path: String
    ) throws(WalletError) -> SigningKey {
        guard let key = keys.signingKey(name, in: bytes) else {
            throw .damaged(path: path, reason: "\(name) is not the base64 of a 32-byte seed")
        }
        return key
    }

    private static func box(
        _ sealed: SecretJSONReader.Object, in bytes: [UInt8], path: String
    ) throws(WalletError) -> PasskeyBox {
        guard sealed.text("kdf", in: bytes) == derivation, sealed.text("cipher", in: bytes) == cipher else {
            throw .damaged(path: path, reason: "sealedKeys are not \(derivation) with \(cipher)")
        }
        guard
            let operations = sealed.number("operations"), let memory = sealed.number("memory"),
            let salt = sealed.base64("salt", in: bytes), salt.count == PasskeyBox.saltByteCount,
            let nonce = sealed.base64("nonce", in: bytes), nonce.count == PasskeyBox.nonceByteCount,
            let box = sealed.base64("box", in: bytes)
        else { throw .damaged(path: path, reason: "sealedKeys lack a field, or one has another length") }
        let cost = PasskeyBox.Cost(operations: operations, memory: memory)
        guard cost.isAllowed else { throw .tooCostly(path: path) }
        return PasskeyBox(cost: cost, salt: salt, nonce: nonce, box: box)
    }

    private static func open(_ box: PasskeyBox, passkey: Passkey, path: String) throws(WalletError) -> [UInt8] {
        do throws(PasskeyBox.Failure) { return try box.open(passkey: passkey) } catch {
            throw error == .outOfMemory ? .outOfMemory : .wrongPasskey(path: path)
        }
    }
}
