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
    func makingAWalletLeavesNoKeyBehind(isEncrypted: Bool) throws {
        let passkey = isEncrypted ? try Passkey("x") : nil
        try leavesNothing { seeds, path in try make(seeds, at: path, passkey: passkey) }
    }

    @Test(arguments: [false, true])
    func openingAWalletLeavesNoKeyBehind(isEncrypted: Bool) throws {
        let passkey = isEncrypted ? try Passkey("x") : nil
        try leavesNothing { seeds, path in
            try make(seeds, at: path, passkey: passkey)
            let opened = try Wallet.open(path: path, passkey: passkey)
            let isSame = opened.keys.accountKey == (try SigningKey(seed: seeds[1]))
            #expect(isSame)
        }
    }

    @inline(never)
    private func make(_ seeds: [[UInt8]], at path: String, passkey: Passkey?) throws {
        let content = WalletFile.Content(
            accountIndex: 1, masterKey: try SigningKey(seed: seeds[0]), accountKey: try SigningKey(seed: seeds[1]),
            deviceKey: try SigningKey(seed: seeds[2])
        )
        _ = try Wallet.create(content, file: SecretFile(path: path), passkey: passkey, cost: WalletTests.cost)
    }

    /// Does something with three seeds and a path, twice, and looks for the seeds, also in the base64 of the file.
    private func leavesNothing(_ body: ([[UInt8]], String) throws -> Void) throws {
        // Once before, since a function's first call saves the processor's registers on the stack, and a key may be in one.
        try use { try body((0..<3).map { _ in Sodium.random(32) }, folder.path("first")) }
        _ = MemoryScan.occurrences(of: Sodium.random(32))
        let seeds = (0..<3).map { _ in Sodium.random(32) }
        try use { try body(seeds, folder.path("second")) }
        for seed in seeds {
            #expect(MemoryScan.occurrences(of: seed) == 0)
            #expect(MemoryScan.occurrences(of: SecretBase64.encode(seed)) == 0)
        }
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
