import PushCrypto
import Testing

@Suite struct AsymmetricEncryptionTests {
    let key = SigningKey()

    @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 63, 64, 65, 1000, 70_000])
    func everyLengthRoundTrips(_ count: Int) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sealed = try key.publicKey.encrypt(message)
        #expect(sealed.count == message.count + 48)
        #expect(try key.decrypt(sealed) == message)
        #expect(try key.decrypt(LazyCollection(sealed)) == message)
        #expect(try key.decrypt(key.publicKey.encrypt(LazyCollection(message))) == message)
    }

    @Test func everyEncryptionHasAKeyOfItsOwn() throws {
        let first = try key.publicKey.encrypt([1, 2, 3])
        let second = try key.publicKey.encrypt([1, 2, 3])
        #expect(first.prefix(32) != second.prefix(32))
        #expect(first.dropFirst(32) != second.dropFirst(32))
    }

    @Test(arguments: 0...60)
    func hostileInputsAreErrors(_ count: Int) {
        let expected = count < 48 ? KeyError.ciphertextTooShort(minimum: 48, found: count) : .cannotDecrypt
        for byte in [0, 1, 0x7f, 0xff] as [UInt8] {
            let sealed = [UInt8](repeating: byte, count: count)
            #expect(throws: expected) { try key.decrypt(sealed) }
        }
    }

    @Test func everyChangedByteIsNoticed() throws {
        var sealed = try key.publicKey.encrypt(Array("a read key".utf8))
        for index in sealed.indices {
            sealed[index] ^= 1
            #expect(throws: KeyError.cannotDecrypt, "byte \(index)") { try key.decrypt(sealed) }
            sealed[index] ^= 1
        }
        #expect(throws: KeyError.cannotDecrypt) { try SigningKey().decrypt(sealed) }
        #expect(throws: KeyError.cannotDecrypt) { try key.decrypt(sealed + [0]) }
        #expect(throws: KeyError.cannotDecrypt) { try key.decrypt(sealed.dropLast()) }
    }

    // Canonical and not: the shared secret would be known to everyone.
    @Test(arguments: SmallOrderPoints.all)
    func nothingIsEncryptedToASmallOrderKey(_ point: [UInt8]) throws {
        let recipient = try PublicKey(rawRepresentation: point)
        #expect(throws: KeyError.unusableForEncryption) { try recipient.encrypt([1, 2, 3]) }
    }

    // X25519's points of small order as the ephemeral key.
    @Test func aSmallOrderEphemeralKeyOpensNothing() {
        let points: [[UInt8]] = [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
            [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        ]
        for point in points {
            #expect(throws: KeyError.cannotDecrypt) { try key.decrypt(point + [UInt8](repeating: 0, count: 40)) }
        }
    }
}
