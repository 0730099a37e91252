import FoundationEssentials
import PushCrypto
import TestSupport
import Testing

/// What is left of a secret in memory when the value that held it is gone: nothing.
@Suite(.serialized) struct SecretMemoryTests {
    @Test func theScanFindsWhatIsThere() throws {
        let secret = randomBytes(32)
        let copy = secret.map { $0 }
        let found = try #require(MemoryScan.occurrences(of: secret))
        #expect(found >= 1)
        withExtendedLifetime(copy) {}
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
