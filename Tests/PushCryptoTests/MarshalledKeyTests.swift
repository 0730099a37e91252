import ProtoWire
import PushCrypto
import Testing

@Suite struct MarshalledKeyTests {
    let key: SigningKey
    let raw: [UInt8]
    let publicBytes: [UInt8]

    init() throws {
        key = try SigningKey(seed: (0..<32).map { UInt8($0) })
        raw = key.rawBytes()
        publicBytes = key.publicKey.rawRepresentation
    }

    @Test func allKindsRoundTrip() throws {
        #expect(try SigningKey(marshalled: key.marshalled()) == key)
        #expect(try PublicKey(marshalled: key.publicKey.marshalled) == key.publicKey)
        let symmetric = SymmetricKey()
        #expect(try SymmetricKey(marshalled: symmetric.marshalled()) == symmetric)
        #expect(key.marshalled() == [0x08, 1, 0x12, 64] + raw)
        #expect(key.publicKey.marshalled == [0x12, 32] + publicBytes)
        #expect(symmetric.marshalled() == [0x08, 2, 0x12, 32] + symmetric.rawBytes())
    }

    @Test func aPrivateKeyMayRepeatItsPublicHalf() throws {
        #expect(try SigningKey(rawRepresentation: raw + publicBytes) == key)
        #expect(try SigningKey(marshalled: [0x08, 1, 0x12, 96] + raw + publicBytes) == key)
        #expect(try SigningKey(rawRepresentation: raw + publicBytes).rawBytes() == raw)
    }

    @Test(arguments: 32..<96)
    func everyByteOfThePublicHalvesCounts(_ index: Int) {
        var long = raw + publicBytes
        long[index] ^= 0x80
        #expect(throws: KeyError.publicHalfMismatch) { try SigningKey(rawRepresentation: long) }
        guard index < 64 else { return }
        #expect(throws: KeyError.publicHalfMismatch) { try SigningKey(rawRepresentation: long[..<64]) }
        #expect(throws: KeyError.publicHalfMismatch) { try SigningKey(marshalled: [0x08, 1, 0x12, 64] + long[..<64]) }
    }

    @Test func wrongLengthsNameBoth() {
        for count in 0...130 {
            let bytes = [UInt8](repeating: 1, count: count)
            if count != 32 {
                #expect(throws: KeyError.wrongLength(expected: 32, found: count)) {
                    try PublicKey(rawRepresentation: bytes)
                }
                #expect(throws: KeyError.wrongLength(expected: 32, found: count)) { try SigningKey(seed: bytes) }
                #expect(throws: KeyError.wrongLength(expected: 32, found: count)) {
                    try SymmetricKey(rawRepresentation: bytes)
                }
            }
            if count != 64, count != 96 {
                #expect(throws: KeyError.wrongLength(expected: 64, found: count)) {
                    try SigningKey(rawRepresentation: bytes)
                }
            }
        }
    }

    @Test func theTypeMustBeTheOneExpected() {
        let symmetric = SymmetricKey().marshalled()
        #expect(throws: KeyError.wrongType(expected: .ed25519Private, found: 0)) {
            try SigningKey(marshalled: key.publicKey.marshalled)
        }
        #expect(throws: KeyError.wrongType(expected: .ed25519Private, found: 2)) {
            try SigningKey(marshalled: symmetric)
        }
        #expect(throws: KeyError.wrongType(expected: .ed25519Public, found: 1)) {
            try PublicKey(marshalled: key.marshalled())
        }
        #expect(throws: KeyError.wrongType(expected: .ed25519Public, found: 2)) { try PublicKey(marshalled: symmetric) }
        #expect(throws: KeyError.wrongType(expected: .aes, found: 1)) { try SymmetricKey(marshalled: key.marshalled()) }
        #expect(throws: KeyError.wrongType(expected: .aes, found: 99)) {
            try SymmetricKey(marshalled: [0x08, 99, 0x12, 32] + [UInt8](repeating: 1, count: 32))
        }
        #expect(throws: KeyError.wrongType(expected: .aes, found: -1)) {
            try SymmetricKey(marshalled: [0x08] + [UInt8](repeating: 0xff, count: 9) + [1])
        }
    }

    @Test func anEmptyMessageIsAPublicKeyWithoutBytes() {
        #expect(throws: KeyError.wrongLength(expected: 32, found: 0)) { try PublicKey(marshalled: []) }
        #expect(throws: KeyError.wrongType(expected: .ed25519Private, found: 0)) { try SigningKey(marshalled: []) }
    }

    @Test func fieldsMayComeInAnyOrderAndWithOthers() throws {
        let data: [UInt8] = [0x12, 64] + raw
        let unknown: [UInt8] = [0x18, 5, 0x22, 2, 7, 7, 0x2b, 0x08, 1, 0x2c, 0x35, 1, 2, 3, 4]
        #expect(try SigningKey(marshalled: data + [0x08, 1]) == key)
        #expect(try SigningKey(marshalled: unknown + data + unknown + [0x08, 1] + unknown) == key)
        // The last scalar wins; a varint may be longer than it needs to be.
        #expect(try SigningKey(marshalled: [0x08, 2, 0x12, 1, 9] + data + [0x08, 0x81, 0x00]) == key)
        #expect(try PublicKey(marshalled: [0x08, 0, 0x12, 32] + publicBytes) == key.publicKey)
    }

    @Test func malformedMessagesAreNamed() {
        let whole = key.marshalled()
        for count in 3..<whole.count {
            #expect(throws: KeyError.malformed(.truncated)) { try SigningKey(marshalled: whole.prefix(count)) }
        }
        #expect(throws: KeyError.malformed(.truncated)) { try SigningKey(marshalled: [0x08]) }
        #expect(throws: KeyError.malformed(.wrongWireType(field: 2, found: .varint))) {
            try SigningKey(marshalled: [0x08, 1, 0x10, 1])
        }
        #expect(throws: KeyError.malformed(.wrongWireType(field: 1, found: .lengthDelimited))) {
            try PublicKey(marshalled: [0x0a, 1, 0])
        }
        #expect(throws: KeyError.malformed(.illegalFieldNumber(0))) { try PublicKey(marshalled: [0x02, 0]) }
        #expect(throws: KeyError.malformed(.strayEndGroup)) { try PublicKey(marshalled: [0x0c]) }
        #expect(throws: KeyError.malformed(.varintOverflow)) {
            try PublicKey(marshalled: [0x08] + [UInt8](repeating: 0xff, count: 10))
        }
    }
}
