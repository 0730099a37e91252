import PushCrypto
import TestSupport
import Testing

@Suite struct OfficialGCMTests {
    static let nist = OfficialVectors.blocks("nist-cavs-aes-256-gcm.txt")
    static let mcgrewViega = OfficialVectors.blocks("mcgrew-viega-aes-256-gcm.txt")

    @Test func theFilesAreWhole() {
        #expect(Self.nist.count == 150)
        #expect(Self.nist.filter { !$0.has("PT") }.count > 10)
        #expect(Self.mcgrewViega.map(\.name) == [13, 14, 15, 16].map { "Test Case \($0)" })
    }

    @Test(arguments: nist)
    func nistVectorsHold(_ vector: OfficialVector) throws {
        let key = try SymmetricKey(rawRepresentation: vector.bytes("Key"))
        let nonce = try vector.bytes("IV")
        let sealed = try nonce + vector.bytes("CT") + vector.bytes("Tag")
        guard vector.has("PT") else {
            #expect(throws: SealError.authenticationFailed) { try key.open(sealed) }
            return
        }
        let plaintext = try vector.bytes("PT")
        #expect(try key.seal(plaintext, nonce: nonce) == sealed)
        #expect(try key.open(sealed) == plaintext)
    }

    @Test(arguments: mcgrewViega)
    func mcgrewViegaVectorsHold(_ vector: OfficialVector) throws {
        let key = try SymmetricKey(rawRepresentation: vector.bytes("Key"))
        let nonce = try vector.bytes("IV")
        let plaintext = try vector.bytes("PT")
        let sealed = try nonce + vector.bytes("CT") + vector.bytes("Tag")
        guard try vector.text("A").isEmpty else {
            // Additional data, which sealed payloads do not have: the same ciphertext under another tag.
            #expect(throws: SealError.authenticationFailed) { try key.open(sealed) }
            #expect(try key.seal(plaintext, nonce: nonce).dropLast(16) == sealed.dropLast(16))
            return
        }
        #expect(try key.seal(plaintext, nonce: nonce) == sealed)
        #expect(try key.open(sealed) == plaintext)
    }

    @Test(arguments: mcgrewViega.filter { $0.name != "Test Case 16" })
    func everyFlippedBitIsNoticed(_ vector: OfficialVector) throws {
        let key = try SymmetricKey(rawRepresentation: vector.bytes("Key"))
        var sealed = try vector.bytes("IV") + vector.bytes("CT") + vector.bytes("Tag")
        for bit in 0..<sealed.count * 8 {
            sealed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealError.authenticationFailed, "bit \(bit)") { try key.open(sealed) }
            sealed[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }

    @Test(arguments: mcgrewViega.filter { $0.name != "Test Case 16" })
    func everyTruncationIsNoticed(_ vector: OfficialVector) throws {
        let key = try SymmetricKey(rawRepresentation: vector.bytes("Key"))
        let sealed = try vector.bytes("IV") + vector.bytes("CT") + vector.bytes("Tag")
        for count in 0..<sealed.count {
            let expected =
                count < SealedPayload.overhead ? SealError.tooShort(minimum: 28, found: count) : .authenticationFailed
            #expect(throws: expected, "\(count) bytes") { try key.open(sealed.prefix(count)) }
            #expect(throws: (any Error).self, "last \(count) bytes") { try key.open(sealed.suffix(count)) }
        }
        for excess in 1...32 {
            let extended = sealed + [UInt8](repeating: 0, count: excess)
            #expect(throws: SealError.authenticationFailed) { try key.open(extended) }
        }
    }

    @Test(arguments: [0, 1, 8, 11, 13, 16, 32])
    func onlyTwelveBytesAreANonce(_ count: Int) {
        #expect(throws: SealError.cipherUnavailable) {
            try SymmetricKey().seal([1], nonce: [UInt8](repeating: 0, count: count))
        }
    }
}
