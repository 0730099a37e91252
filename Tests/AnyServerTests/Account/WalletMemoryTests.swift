import Glibc
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// What is left of keys and passkeys in the process's memory when a wallet is gone: nothing.
@Suite(.serialized) struct WalletMemoryTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        MemoryScan.prepare()
    }

    @Test(arguments: [false, true])
    func makingAWalletLeavesNoKeyBehind(isEncrypted: Bool) throws {
        let passkey = isEncrypted ? try Passkey("x") : nil
        let found = try leftovers(ofSecrets: 3) { seeds, path in try make(seeds, at: path, passkey: passkey) }
        #expect(found == [0, 0, 0, 0, 0, 0])
    }

    @Test(arguments: [false, true])
    func openingAWalletLeavesNoKeyBehind(isEncrypted: Bool) throws {
        let passkey = isEncrypted ? try Passkey("x") : nil
        let found = try leftovers(ofSecrets: 3) { seeds, path in
            try make(seeds, at: path, passkey: passkey)
            let opened = try Wallet.open(path: path, passkey: passkey)
            let isSame = opened.keys.accountKey == (try SigningKey(seed: seeds[1]))
            #expect(isSame)
        }
        #expect(found == [0, 0, 0, 0, 0, 0])
    }

    @Test func aWalletInUseHoldsEachKeyOnce() throws {
        var copies: [Wallet] = []
        let found = try leftovers(ofSecrets: 3) { seeds, path in
            try make(seeds, at: path, passkey: nil)
            copies = [Wallet](repeating: try Wallet.open(path: path, passkey: nil), count: 10)
        }
        withExtendedLifetime(copies) {}
        #expect(found == [1, 1, 1, 0, 0, 0])
    }

    @Test func writingAKeyLeavesOnlyWhatWasWritten() throws {
        let found = try leftovers(ofSecrets: 1) { seeds, _ in
            let key = try SigningKey(seed: seeds[0])
            var bytes = SecretJSONWriter.object { $0.seed("key", of: key) }
            Sodium.zero(&bytes)
        }
        #expect(found == [0, 0])
    }

    @Test func aManagedDeviceKeyLeavesNothingBehind() throws {
        let found = try leftovers(ofSecrets: 1) { seeds, path in
            var bytes = SecretJSONWriter.object {
                $0.text("format", "anypush.device-key")
                $0.number("version", 1)
                $0.base64("deviceKey", seeds[0])
            }
            try SecretFile(path: AccountDirectory(path: folder.path).deviceKeyPath).replace(with: bytes)
            Sodium.zero(&bytes)
            let isSame =
                try DeviceKeyFile(in: AccountDirectory(path: folder.path)).loadOrCreate() == SigningKey(seed: seeds[0])
            #expect(isSame)
        }
        #expect(found == [0, 0])
    }

    @Test func aPasskeyLeavesNothingBehind() throws {
        let found = try leftovers(ofSecrets: 1) { words, path in
            try SecretFile(path: path).create(words[0])
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            let passkey = try #require(try Passkey(lineOf: descriptor))
            let box = try PasskeyBox(sealing: [1, 2, 3], passkey: passkey, cost: WalletTests.cost)
            #expect(try box.open(passkey: passkey) == [1, 2, 3])
        }
        #expect(found == [0, 0])
    }

    /// How often secrets are found when `body`, which has got them, is over: each as it is, and in the base64 of files.
    ///
    /// Everything happens twice and the second time counts: a function's first call saves the processor's registers on the
    /// stack, and a key may be in one. Nothing happens between `body` and the search, for it might use freed memory again.
    private func leftovers(
        ofSecrets count: Int, _ body: (_ secrets: [[UInt8]], _ path: String) throws -> Void
    ) throws -> [Int?] {
        var found: [Int?] = []
        for (round, path) in [folder.path("first"), folder.path("second")].enumerated() {
            // No byte that would end a line.
            let secrets = (0..<count).map { _ in Sodium.random(32).map { $0 | 0x80 } }
            let encoded = secrets.map { SecretBase64.encode($0) }
            let wanted = secrets + encoded
            try use(body, secrets, path)
            if round == 1 { found = MemoryScan.occurrences(of: wanted) ?? wanted.map { _ in nil } }
        }
        return found
    }

    // A call of its own, so that nothing of `body` lives on in the caller's frame.
    @inline(never)
    private func use(_ body: ([[UInt8]], String) throws -> Void, _ secrets: [[UInt8]], _ path: String) rethrows {
        try body(secrets, path)
    }

    @inline(never)
    private func make(_ seeds: [[UInt8]], at path: String, passkey: Passkey?) throws {
        let content = WalletFile.Content(
            accountIndex: 1, masterKey: try SigningKey(seed: seeds[0]), accountKey: try SigningKey(seed: seeds[1]),
            deviceKey: try SigningKey(seed: seeds[2])
        )
        _ = try Wallet.create(content, file: SecretFile(path: path), passkey: passkey, cost: WalletTests.cost)
    }
}
