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
    }

    @Test(arguments: [false, true])
    func madeAndOpenedWalletsLeaveNoKeyBehind(isEncrypted: Bool) throws {
        let passkey = isEncrypted ? try Passkey("x") : nil
        // Once before, since a function's first call saves the processor's registers on the stack, and a key may be in one.
        try makeAndOpen((0..<3).map { _ in Sodium.random(32) }, passkey: passkey, name: "first")
        _ = MemoryScan.occurrences(of: Sodium.random(32))
        let seeds = (0..<3).map { _ in Sodium.random(32) }
        try makeAndOpen(seeds, passkey: passkey, name: "second")
        // Each as a seed and in the base64 that stands in the file.
        for seed in seeds {
            #expect(MemoryScan.occurrences(of: seed) == 0)
            #expect(MemoryScan.occurrences(of: SecretBase64.encode(seed)) == 0)
        }
    }

    @inline(never)
    private func makeAndOpen(_ seeds: [[UInt8]], passkey: Passkey?, name: String) throws {
        let content = WalletFile.Content(
            accountIndex: 1, masterKey: try SigningKey(seed: seeds[0]), accountKey: try SigningKey(seed: seeds[1]),
            deviceKey: try SigningKey(seed: seeds[2])
        )
        let file = SecretFile(path: folder.path(name))
        _ = try Wallet.create(content, file: file, passkey: passkey, cost: WalletTests.cost)
        let opened = try Wallet.open(path: file.path, passkey: passkey)
        #expect(opened.keys.deviceKey == content.deviceKey)
    }

    @Test func aWalletInUseHoldsEachKeyOnce() throws {
        let path = try use { try Wallet.create(in: DataRoot(path: folder.path), passkey: nil).wallet.path }
        let wallet = try Wallet.open(path: path, passkey: nil)
        let copies = [Wallet](repeating: wallet, count: 10)
        for key in [wallet.keys.accountKey, wallet.keys.deviceKey] {
            var raw = key.rawBytes()
            let seed = Array(raw[..<32])
            Sodium.zero(&raw)
            #expect(MemoryScan.occurrences(of: seed) == 1)
        }
        withExtendedLifetime(copies) {}
    }

    @Test func aManagedDeviceKeyLeavesNothingBehind() throws {
        let directory = AccountDirectory(path: folder.path)
        var seed: [UInt8] = []
        try use {
            _ = try DeviceKeyFile(in: directory).loadOrCreate()
            var raw = try DeviceKeyFile(in: directory).loadOrCreate().rawBytes()
            seed = Array(raw[..<32])
            Sodium.zero(&raw)
        }
        #expect(MemoryScan.occurrences(of: seed) == 0)
        #expect(MemoryScan.occurrences(of: SecretBase64.encode(seed)) == 0)
    }

    @Test func aPasskeyLeavesNothingBehind() throws {
        let words = Array(Hexadecimal.encode(Sodium.random(24)).utf8)
        try SecretFile(path: folder.path("input")).create(words)
        try use {
            let descriptor = open(folder.path("input"), O_RDONLY)
            defer { close(descriptor) }
            let passkey = try #require(try Passkey(lineOf: descriptor))
            let box = try PasskeyBox(sealing: [1, 2, 3], passkey: passkey, cost: WalletTests.cost)
            #expect(try box.open(passkey: passkey) == [1, 2, 3])
        }
        #expect(MemoryScan.occurrences(of: words) == 0)
    }

    // A call of its own, so that nothing of `body` lives on in the caller's frame.
    @inline(never)
    private func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try body()
    }
}
