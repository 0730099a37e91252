import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import PushCrypto

/// What is left of a secret in memory when the value that held it is gone: nothing.
@Suite(.serialized) struct SecretMemoryTests {
    init() {
        MemoryScan.prepare()
    }

    @Test func theScanFindsWhatIsThere() throws {
        let secret = randomBytes(32)
        let copy = secret.map { $0 }
        let found = try #require(MemoryScan.occurrences(of: secret))
        #expect(found >= 1)
        withExtendedLifetime(copy) {}
    }

    @Test func keysAreInMemoryThatNoCoreDumpHolds() throws {
        let seed = randomBytes(32)
        var keys: [SigningKey] = []
        // More than one slab, and more than the smallest limit locks.
        for _ in 0..<2000 { keys.append(SigningKey()) }
        keys.append(try SigningKey(seed: seed))
        #expect(MemoryScan.occurrences(of: seed) == 1)
        #expect(MemoryScan.occurrences(of: seed, where: { !$0.contains("dd") }) == 0)
        // As far as the limit allows; the first pages are within any.
        let status = SecretMemory.status
        #expect(status.reserved >= 2000 * 64)
        #expect(status.locked <= status.reserved)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
        // A sanitizer answers that it has locked what it has not.
        if limit.rlim_cur >= 4 << 20, try Self.lockedByteCount() > 0 {
            #expect(status.locked == status.reserved)
            #expect(MemoryScan.occurrences(of: seed, where: { !$0.contains("lo") }) == 0)
        }
        withExtendedLifetime(keys) {}
    }

    /// How much of this process the kernel has locked (proc(5), "VmLck").
    private static func lockedByteCount() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("VmLck:") }?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 : 0
    }

    @Test(arguments: [0, 1, 31, 32, 33, 64, 100, 4096, 4097, 40_000]) func roomIsAsLargeAsAskedForAndUsedAgain(
        count: Int
    ) {
        let before = SecretBytes([UInt8](repeating: 7, count: count))
        var address = before.withBytes { UInt(bitPattern: $0) }
        #expect(before.withBuffer { $0.allSatisfy { $0 == 7 } && $0.count == count })
        _ = consume before
        for _ in 0..<100 {
            let after = SecretBytes([UInt8](repeating: 8, count: count))
            address = after.withBytes { UInt(bitPattern: $0) }
            #expect(after.withBuffer { $0.allSatisfy { $0 == 8 } })
        }
        #expect(address != 0)
    }

    @Test func keysThatComeAndGoOnManyThreadsTakeNoMoreMemory() async {
        func round() async {
            await withTaskGroup(of: Void.self) { group in
                for value in 0..<8 as Range<UInt8> {
                    group.addTask {
                        for _ in 0..<500 {
                            let secret = SecretBytes([UInt8](repeating: value, count: 3000))
                            #expect(secret.withBuffer { $0.allSatisfy { $0 == value } })
                        }
                    }
                }
            }
        }
        await round()
        let before = SecretMemory.status.reserved
        for _ in 0..<20 { await round() }
        // Eight at a time share what the first round has needed; other tests make keys meanwhile.
        #expect(SecretMemory.status.reserved - before < 1 << 20)
    }

    @Test func signingKeysAreZeroed() throws {
        let seed = randomBytes(32)
        try use { _ = try SigningKey(seed: seed).signature(for: [1, 2, 3]) }
        #expect(MemoryScan.occurrences(of: seed) == 0)
    }

    @Test func everyCopyOfASigningKeyIsTheSameSecret() throws {
        let seed = randomBytes(32)
        let key = try SigningKey(seed: seed)
        let copies = [SigningKey](repeating: key, count: 100)
        #expect(MemoryScan.occurrences(of: seed) == 1)
        withExtendedLifetime(copies) {}
    }

    @Test func decodingAMarshalledKeyLeavesNothingBehind() throws {
        let seed = randomBytes(32)
        try use {
            var marshalled = try SigningKey(seed: seed).marshalled()
            _ = try SigningKey(marshalled: marshalled)
            _ = try SigningKey(marshalled: marshalled[...])
            // Not stored in one piece, so it has to be copied.
            _ = try SigningKey(marshalled: LazyCollection(marshalled))
            var data = Data(marshalled)
            _ = try SigningKey(marshalled: data)
            data.resetBytes(in: data.indices)
            zero(&marshalled)
        }
        #expect(MemoryScan.occurrences(of: seed) == 0)
    }

    @Test func refusedKeysLeaveNothingBehind() throws {
        let seed = randomBytes(32)
        try use {
            var raw = try SigningKey(seed: seed).rawBytes()
            raw[40] ^= 1
            #expect(throws: KeyError.publicHalfMismatch) { try SigningKey(rawRepresentation: raw) }
            zero(&raw)
        }
        #expect(MemoryScan.occurrences(of: seed) == 0)
    }

    @Test func symmetricKeysAreZeroed() throws {
        let bytes = randomBytes(32)
        try use {
            let key = try SymmetricKey(rawRepresentation: bytes)
            _ = try key.open(key.seal([1, 2, 3]))
            _ = key.keyId
            var marshalled = key.marshalled()
            _ = try SymmetricKey(marshalled: LazyCollection(marshalled))
            zero(&marshalled)
        }
        #expect(MemoryScan.occurrences(of: bytes) == 0)
    }

    @Test func derivedKeysAreZeroed() throws {
        let seed = randomBytes(64)
        var keys: [[UInt8]] = []
        try use {
            let node = try SLIP10Node(seed: seed, path: "m/99999'/1'")
            keys = [node.rawKey(), try SLIP10Node(seed: seed, path: "m/99999'").rawKey()]
            keys.append(try SLIP21Node(seed: seed, path: "m/SLIP-0021/a").symmetricKey.rawBytes())
        }
        #expect(MemoryScan.occurrences(of: seed) == 0)
        for key in keys {
            #expect(MemoryScan.occurrences(of: key) == 0)
        }
    }

    @Test func openedBoxesAndPhrasesLeaveNothingButTheirResult() throws {
        let entropy = randomBytes(32)
        let message = randomBytes(48)
        try use {
            let key = SigningKey()
            var opened = try key.decrypt(key.publicKey.encrypt(message))
            zero(&opened)
            _ = try Mnemonic(#require(Mnemonic.phrase(entropy: entropy)))
        }
        #expect(MemoryScan.occurrences(of: entropy) == 0)
        #expect(MemoryScan.occurrences(of: message) == 0)
    }
}

// A call of its own, so that nothing of `body` lives on in the caller's frame.
@inline(never)
private func use(_ body: () throws -> Void) rethrows {
    try body()
}

private func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
}

private func zero(_ bytes: inout [UInt8]) {
    for index in bytes.indices { bytes[index] = 0 }
}

/// Bytes that can not be had as one buffer.
struct LazyCollection: Collection {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.map { ~$0 }
    }

    var startIndex: Int { bytes.startIndex }
    var endIndex: Int { bytes.endIndex }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 { ~bytes[index] }
}
