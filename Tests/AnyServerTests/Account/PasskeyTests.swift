import Glibc
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct PasskeyTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func wallet(passkey: Passkey?) throws -> Wallet {
        let (masterKey, accountKey) = try AccountKeys.derive(phrase: WalletTests.phrase, index: 1)
        let content = WalletFile.Content(
            accountIndex: 1, masterKey: masterKey, accountKey: accountKey, deviceKey: SigningKey()
        )
        let file = SecretFile(path: folder.path("wallet.key"))
        return try Wallet.create(content, file: file, passkey: passkey, cost: WalletTests.cost)
    }

    private func rewrite(_ part: String, _ replacement: String) throws {
        let text = try folder.text("wallet.key")
        try #require(text.contains(part))
        try folder.write(text.replacing(part, with: replacement), to: "wallet.key")
    }

    @Test func thePasskeyOpensTheWallet() throws {
        let passkey = try Passkey("correct horse")
        let wallet = try wallet(passkey: passkey)
        let opened = try Wallet.open(path: wallet.path, passkey: passkey)
        #expect(opened.keys.accountKey == wallet.keys.accountKey)
        #expect(opened.keys.masterKey == wallet.keys.masterKey)
        #expect(opened.keys.deviceKey == wallet.keys.deviceKey)
        #expect(opened.accountIndex == 1)
        #expect(try Wallet.accountId(path: wallet.path) == wallet.keys.accountId)
    }

    @Test func nothingOfTheKeysIsInTheFile() throws {
        let wallet = try wallet(passkey: Passkey("correct horse"))
        let text = try folder.text("wallet.key")
        for key in [wallet.keys.accountKey, wallet.keys.deviceKey] {
            let seed = String(decoding: SecretBase64.encode(Array(key.rawBytes()[..<32])), as: UTF8.self)
            #expect(!text.contains(seed))
        }
        #expect(!text.contains("horse"))
        #expect(folder.mode("wallet.key") == 0o600)
    }

    @Test func theSamePasskeySealsAnotherWayEachTime() throws {
        _ = try wallet(passkey: Passkey("x"))
        let first = try folder.text("wallet.key")
        unlink(folder.path("wallet.key"))
        _ = try wallet(passkey: Passkey("x"))
        let second = try folder.text("wallet.key")
        for field in ["salt", "nonce"] {
            let line = try #require(first.split(separator: "\n").first { $0.contains("\"\(field)\"") })
            #expect(!second.contains(line))
        }
    }

    @Test func aWrongPasskeyAndAChangedFileAreTheSameError() throws {
        let path = try wallet(passkey: Passkey("correct horse")).path
        #expect(throws: WalletError.wrongPasskey(path: path)) {
            try Wallet.open(path: path, passkey: Passkey("correct horsf"))
        }
        try rewrite("\"box\": \"", "\"box\": \"AAAA")
        #expect(throws: WalletError.wrongPasskey(path: path)) {
            try Wallet.open(path: path, passkey: Passkey("correct horse"))
        }
        try rewrite("\"memory\": 8192", "\"memory\": 16384")
        #expect(throws: WalletError.wrongPasskey(path: path)) {
            try Wallet.open(path: path, passkey: Passkey("correct horse"))
        }
    }

    @Test func anEmptyBoxDoesNotOpen() throws {
        let path = try wallet(passkey: Passkey("x")).path
        let text = try folder.text("wallet.key")
        let line = try #require(text.split(separator: "\n").first { $0.contains("\"box\"") })
        try rewrite(String(line), "\"box\": \"\"")
        #expect(throws: WalletError.wrongPasskey(path: path)) { try Wallet.open(path: path, passkey: Passkey("x")) }
    }

    @Test func aPasskeyTooManyOrTooFewIsSaid() throws {
        let path = try wallet(passkey: Passkey("x")).path
        #expect(throws: WalletError.passkeyRequired(path: path)) { try Wallet.open(path: path, passkey: nil) }
        unlink(path)
        _ = try wallet(passkey: nil)
        #expect(throws: WalletError.notEncrypted(path: path)) { try Wallet.open(path: path, passkey: Passkey("x")) }
    }

    @Test(arguments: [
        ("\"memory\": 8192", "\"memory\": 268435457"), ("\"memory\": 8192", "\"memory\": 18446744073709551615"),
        ("\"memory\": 8192", "\"memory\": 8191"), ("\"operations\": 1", "\"operations\": 17"),
        ("\"operations\": 1", "\"operations\": 0"),
    ])
    func aFileThatAsksForTooMuchIsRefusedBeforeAnythingIsDone(part: String, replacement: String) throws {
        let path = try wallet(passkey: Passkey("x")).path
        try rewrite(part, replacement)
        #expect(throws: WalletError.tooCostly(path: path)) { try Wallet.open(path: path, passkey: Passkey("x")) }
    }

    @Test(arguments: [
        ("argon2id13", "scrypt", "sealedKeys are not argon2id13 with xsalsa20poly1305"),
        ("xsalsa20poly1305", "none", "sealedKeys are not argon2id13 with xsalsa20poly1305"),
        ("\"salt\": \"", "\"salt\": \"AAAA", "sealedKeys lack a field, or one has another length"),
        ("\"nonce\": \"", "\"nonce\": \"AAAA", "sealedKeys lack a field, or one has another length"),
        ("\"nonce\"", "\"nunce\"", "sealedKeys lack a field, or one has another length"),
        ("\"accountId\"", "\"keys\": {}, \"accountId\"", "expected either keys or sealedKeys"),
    ])
    func anotherFormatIsDamage(part: String, replacement: String, reason: String) throws {
        let path = try wallet(passkey: Passkey("x")).path
        try rewrite(part, replacement)
        #expect(throws: WalletError.damaged(path: path, reason: reason)) {
            try Wallet.open(path: path, passkey: Passkey("x"))
        }
    }

    @Test func theStandardCostIsWithinWhatIsAllowed() {
        #expect(PasskeyBox.Cost.standard.isAllowed)
        #expect(PasskeyBox.Cost.standard.memory >= 64 << 20)
    }

    /// A box of libsodium 1.0.18, made outside of this code (python3 with ctypes; see the numbers).
    @Test func aBoxMadeElsewhereOpens() throws {
        let box = PasskeyBox(
            cost: PasskeyBox.Cost(operations: 2, memory: 16384), salt: Array(0..<16), nonce: Array(100..<124),
            box: try #require(SecretBase64.decode(Array(Self.foreignBox.utf8), 0..<Self.foreignBox.utf8.count))
        )
        let passkey = try #require(try Passkey("pässkey"))
        #expect(try box.open(passkey: passkey) == Array("{\"a\": 1}".utf8))
    }

    private static let foreignBox = "rJwKAESQ+wyF6+qJH0pkuiDZtuq9kwI1"

    @Test func theEnvironmentNamesThePasskey() throws {
        let environment = ["ANY_WALLET_PASSKEY": "one", "MINE": "two", "EMPTY": ""]
        #expect(try Passkey(variable: "ANY_WALLET_PASSKEY", in: environment)?.text == "one")
        #expect(try Passkey(variable: "MINE", in: environment)?.text == "two")
        #expect(try Passkey(variable: "EMPTY", in: environment) == nil)
        #expect(try Passkey(variable: "NONE", in: environment) == nil)
        #expect("\(try #require(try Passkey("one")))" == "passkey")
        #expect(throws: Passkey.Failure.tooLong) { try Passkey(String(repeating: "x", count: 1025)) }
    }

    @Test(arguments: [
        ("one\n", "one"), ("one", "one"), ("one\r\n", "one"), ("one \ntwo\n", "one "), ("\n", nil), ("", nil),
        (String(repeating: "x", count: 1024) + "\r\n", String(repeating: "x", count: 1024)),
    ])
    func aLineOfStandardInputIsAPasskey(input: String, expected: String?) throws {
        try withInput(input) { descriptor in
            let passkey = try Passkey(lineOf: descriptor)
            #expect(passkey?.text == expected)
        }
    }

    @Test func whatFollowsTheLineIsLeftForOthers() throws {
        try withInput("one\ntwo\n") { descriptor in
            _ = try Passkey(lineOf: descriptor)
            let second = try Passkey(lineOf: descriptor)
            #expect(second?.text == "two")
        }
    }

    @Test func aLineWithoutEndIsRefused() throws {
        try withInput(String(repeating: "x", count: 1026)) { descriptor in
            #expect(throws: Passkey.Failure.tooLong) { try Passkey(lineOf: descriptor) }
        }
        #expect(throws: Passkey.Failure.unreadable(code: EBADF)) { try Passkey(lineOf: -1) }
    }

    private func withInput(_ text: String, _ body: (CInt) throws -> Void) throws {
        let descriptor = open(try folder.write(text, to: "input"), O_RDONLY)
        defer { close(descriptor) }
        try body(descriptor)
    }
}

extension Passkey {
    fileprivate var text: String { secret.withBuffer { String(decoding: $0, as: UTF8.self) } }
}
