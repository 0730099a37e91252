import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// What is made of wallet files that are not as they were written.
@Suite struct WalletFileTests {
    private static let seed = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private static func key(_ byte: UInt8) throws -> SigningKey {
        try SigningKey(seed: [UInt8](repeating: byte, count: 32))
    }

    private static func content() throws -> WalletFile.Content {
        WalletFile.Content(accountIndex: 7, masterKey: try key(1), accountKey: try key(2), deviceKey: try key(3))
    }

    /// Pins the format: a wallet of this version must open for ever.
    @Test func theFormatIsAsDocumented() throws {
        let expected = """
            {
              "format": "anypush.wallet",
              "version": 1,
              "accountId": "A8ZTmevsrWqBzFDQ7sRPiwK4iWwHPxod5jTK4hHDtfsYCwrm",
              "keys": {
                "accountIndex": 7,
                "masterKey": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
                "accountKey": "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=",
                "deviceKey": "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM="
              }
            }

            """
        let bytes = try WalletFile.encode(Self.content(), passkey: nil, cost: .standard)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let read = try WalletFile.decode(Array(expected.utf8), passkey: nil, path: "w")
        #expect(read.accountIndex == 7)
        #expect(try read.masterKey == Self.key(1))
        #expect(try read.accountKey == Self.key(2))
        #expect(try read.deviceKey == Self.key(3))
    }

    @Test func otherSpacesOrderAndUnknownFieldsAreRead() throws {
        let id = try Self.key(2).publicKey.accountAddress
        let text = """
            {"keys":{"deviceKey":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=","note":"x",\t
            "accountKey":"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=","accountIndex":0,
            "masterKey":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="} , "later":{"a":1},
            "version":1,"accountId":"\(id)","format":"anypush.wallet"}
            """
        #expect(try WalletFile.decode(Array(text.utf8), passkey: nil, path: "w").accountKey == Self.key(2))
    }

    @Test(arguments: [
        ("", WalletError.damaged(path: "P", reason: "not JSON of a wallet at byte 0")),
        ("{", .damaged(path: "P", reason: "not JSON of a wallet at byte 1")),
        ("null", .damaged(path: "P", reason: "not JSON of a wallet at byte 0")),
        ("{}", .foreign(path: "P")),
        ("{} x", .damaged(path: "P", reason: "not JSON of a wallet at byte 3")),
        (#"{"version":1,"payload":{"mnemonic":"a b","deviceKey":"AA==","index":1}}"#, .foreign(path: "P")),
        (#"{"format":"anypush.wallet"}"#, .damaged(path: "P", reason: "no version")),
        (#"{"format":"anypush.wallet","version":2}"#, .unsupportedVersion(path: "P", found: 2)),
        (#"{"format":"anypush.wallet","version":1}"#, .damaged(path: "P", reason: "no accountId")),
        (#"{"format":"anypush.wallet","version":1,"accountId":"../x"}"#, .damaged(path: "P", reason: "no accountId")),
    ])
    func aFileThatIsNoWalletIsNamedAndLeftAsItIs(text: String, expected: WalletError) throws {
        let path = try folder.write(text, to: "wallet.key")
        let error = #expect(throws: WalletError.self) { try Wallet.open(path: path, passkey: nil) }
        #expect(error == expected.renamed(path))
        #expect("\(try #require(error))".contains(path))
        #expect(try folder.text("wallet.key") == text)
    }

    @Test(arguments: [
        ("\"keys\"", "\"kexs\"", "expected either keys or sealedKeys"),
        ("\"accountIndex\": 7", "\"accountIndex\": \"7\"", "no accountIndex"),
        ("\"accountIndex\": 7", "\"accountIndex\": 4294967296", "no accountIndex"),
        ("AwMD", "Aw-D", "deviceKey is not the base64 of a 32-byte seed"),
        ("AwMDAwMD", "AwMD", "deviceKey is not the base64 of a 32-byte seed"),
        ("deviceKey", "devKey", "deviceKey is not the base64 of a 32-byte seed"),
        ("AgICAgIC", "AgICAgID", "its keys are not those of its accountId"),
    ])
    func aDamagedKeyIsNamed(part: String, replacement: String, reason: String) throws {
        let bytes = try WalletFile.encode(Self.content(), passkey: nil, cost: .standard)
        let text = String(decoding: bytes, as: UTF8.self).replacing(part, with: replacement, maxReplacements: 1)
        let path = try folder.write(text, to: "wallet.key")
        #expect(throws: WalletError.damaged(path: path, reason: reason)) { try Wallet.open(path: path, passkey: nil) }
        #expect(try folder.text("wallet.key") == text)
    }

    @Test func everyCutOfAWalletIsAnError() throws {
        let bytes = try WalletFile.encode(Self.content(), passkey: nil, cost: .standard)
        for count in 0..<bytes.count - 2 {
            #expect(throws: WalletError.self) { try WalletFile.decode(Array(bytes[..<count]), passkey: nil, path: "w") }
        }
    }

    @Test func aHugeFileIsRefusedUnread() throws {
        let path = try folder.write(String(repeating: " ", count: (16 << 10) + 1), to: "wallet.key")
        #expect(throws: WalletError.file(.tooLarge(path: path, limit: 16 << 10))) {
            try Wallet.open(path: path, passkey: nil)
        }
    }

    @Test func noErrorShowsWhatIsInTheFile() throws {
        let text = #"{"format":"anypush.wallet","version":1,"accountId":"secret-words","keys":{}}"#
        let path = try folder.write(text, to: "wallet.key")
        let error = #expect(throws: WalletError.self) { try Wallet.open(path: path, passkey: nil) }
        #expect("\(try #require(error))".contains("secret-words") == false)
    }

    @Test func keysStayOutOfDescriptionsAndDumps() throws {
        let content = try Self.content()
        let keys = AccountKeys(
            accountKey: content.accountKey, masterKey: content.masterKey, deviceKey: content.deviceKey
        )
        var dumped = ""
        dump(keys, to: &dumped)
        let id = try Self.key(2).publicKey.accountAddress
        #expect("\(keys)" == "AccountKeys(\(id) on \(keys.peerId))")
        #expect(!dumped.contains("SigningKey"))
    }
}

extension WalletError {
    fileprivate func renamed(_ path: String) -> WalletError {
        switch self {
        case .damaged(_, let reason): .damaged(path: path, reason: reason)
        case .foreign: .foreign(path: path)
        case .unsupportedVersion(_, let found): .unsupportedVersion(path: path, found: found)
        default: self
        }
    }
}
