import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct ManagedAccountTests {
    private let folder: TemporaryDirectory
    private var directory: AccountDirectory { AccountDirectory(path: folder.path("account")) }

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func theDeviceKeyStaysTheSame() throws {
        let key = try DeviceKeyFile(in: directory).loadOrCreate()
        #expect(try DeviceKeyFile(in: directory).loadOrCreate() == key)
        #expect(folder.mode("account/device.key") == 0o600)
        #expect(folder.mode("account") == 0o700)
    }

    @Test func theAccountKeyIsNotWrittenDown() throws {
        let deviceKey = try DeviceKeyFile(in: directory).loadOrCreate()
        let keys = try AccountKeys(phrase: WalletTests.phrase, deviceKey: deviceKey)
        let lock = try ServerLock(directory)
        defer { lock.release() }
        let seed = String(decoding: SecretBase64.encode(Array(keys.accountKey.rawBytes()[..<32])), as: UTF8.self)
        #expect(
            try folder.names(in: "account")
                == ["device.key", "files", "index", "sdk", "server.lock", "server.pid", "start-anew"])
        #expect(try !folder.text("account/device.key").contains(seed))
    }

    @Test func aDeviceKeyThatIsLostIsNotMadeAnew() throws {
        do {
            let lock = try ServerLock(directory)
            defer { lock.release() }
            _ = try DeviceKeyFile.open(in: directory)
            // What the store's opening does once everything is there.
            try directory.startAnew.clear()
        }
        #expect(try SecretFile(path: directory.deviceKeyPath).remove())
        let lost = DeviceKeyFile.Failure.lost(path: directory.deviceKeyPath, remedy: directory.startAnew.remedy)
        #expect(throws: lost) { try DeviceKeyFile.open(in: directory) }
        #expect(!BoundedFile.exists(directory.deviceKeyPath))
        try directory.startAnew.set()
        _ = try DeviceKeyFile.open(in: directory)
        // An account that its owner ran so far has its device key in the wallet.
        try directory.startAnew.clear()
        #expect(try SecretFile(path: directory.deviceKeyPath).remove())
        try folder.write("", to: "account/wallet.key")
        _ = try DeviceKeyFile.open(in: directory)
    }

    @Test func theDeviceKeyFileIsAsDocumented() throws {
        try Folder.create(directory.path)
        let text =
            #"{"format": "anypush.device-key", "version": 1, "deviceKey": "\#(String(repeating: "A", count: 43))="}"#
        try folder.write(text, to: "account/device.key")
        #expect(try DeviceKeyFile(in: directory).loadOrCreate() == SigningKey(seed: [UInt8](repeating: 0, count: 32)))
    }

    @Test(arguments: [
        ("", "it is no device key of this software"),
        (#"{"version":1,"deviceKey":"AAAA"}"#, "it is no device key of this software"),
        (#"{"format":"anypush.device-key","version":2}"#, "it is not of version 1"),
        (
            #"{"format":"anypush.device-key","version":1,"deviceKey":"AAAA"}"#,
            "deviceKey is not the base64 of a 32-byte seed"
        ),
    ])
    func aDamagedDeviceKeyIsNamedAndKept(text: String, reason: String) throws {
        try Folder.create(directory.path)
        let path = try folder.write(text, to: "account/device.key")
        #expect(throws: DeviceKeyFile.Failure.unusable(path: path, reason: reason)) {
            try DeviceKeyFile(in: directory).loadOrCreate()
        }
        #expect(try folder.text("account/device.key") == text)
    }

    @Test func serversThatStartAtOnceAgreeOnTheDeviceKey() async throws {
        let directory = directory
        let keys = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try DeviceKeyFile(in: directory).loadOrCreate().publicKey } }
            return try await group.reduce(into: Set<PublicKey>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test func aControlTokenIsRandomHexAndOnlyItMatches() {
        let token = ControlToken()
        #expect(token.text.utf8.count == 64)
        #expect(token.text.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(token.matches(token.text))
        #expect(!token.matches(""))
        #expect(!token.matches(token.text + "0"))
        #expect(!token.matches(String(token.text.dropLast())))
        #expect(!token.matches(token.text.uppercased()) || token.text == token.text.uppercased())
        #expect(!token.matches(ControlToken().text))
        #expect(!"\(token)".contains(token.text))
    }

    @Test func aHostBringsItsOwnControlToken() {
        #expect(ControlToken("0123456789abcdef")?.matches("0123456789abcdef") == true)
        for text in [
            "", "short", "0123456789abcde ", "0123456789abcde\n", "0123456789abcdé", String(repeating: "x", count: 257),
        ] {
            #expect(ControlToken(text) == nil)
        }
    }
}
