import PushCrypto
import TestSupport
import Testing

@Suite struct OfficialEd25519Tests {
    static let vectors = OfficialVectors.blocks("rfc8032-ed25519.txt")
    // RFC 8032, section 5.1: the order of the base point, little-endian.
    static let order: [UInt8] =
        [0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14]
        + [UInt8](repeating: 0, count: 15) + [0x10]

    @Test func theFileHoldsAllFiveVectors() {
        #expect(Self.vectors.map(\.name) == ["TEST 1", "TEST 2", "TEST 3", "TEST 1024", "TEST SHA(abc)"])
    }

    @Test(arguments: vectors)
    func keysAndSignaturesAreThoseOfTheRFC(_ vector: OfficialVector) throws {
        let key = try SigningKey(seed: vector.bytes("SecretKey"))
        let message = try vector.bytes("Message")
        let signature = try vector.bytes("Signature")
        #expect(key.publicKey.rawRepresentation == (try vector.bytes("PublicKey")))
        #expect(key.signature(for: message) == signature)
        #expect(try PublicKey(rawRepresentation: vector.bytes("PublicKey")).isValidSignature(signature, for: message))
        #expect(vector.name != "TEST 1024" || message.count == 1023)
    }

    @Test(arguments: vectors)
    func everyFlippedBitOfTheSignatureIsNoticed(_ vector: OfficialVector) throws {
        let key = try PublicKey(rawRepresentation: vector.bytes("PublicKey"))
        let message = try vector.bytes("Message")
        var signature = try vector.bytes("Signature")
        for bit in 0..<512 {
            signature[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.isValidSignature(signature, for: message), "bit \(bit)")
            signature[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }

    @Test(arguments: vectors)
    func anotherMessageOrKeyIsNoticed(_ vector: OfficialVector) throws {
        let key = try PublicKey(rawRepresentation: vector.bytes("PublicKey"))
        let message = try vector.bytes("Message")
        let signature = try vector.bytes("Signature")
        #expect(!key.isValidSignature(signature, for: message + [0]))
        #expect(!key.isValidSignature(signature, for: [0] + message))
        for byte in message.indices {
            var changed = message
            changed[byte] ^= 0x01
            #expect(!key.isValidSignature(signature, for: changed), "byte \(byte)")
        }
        for other in Self.vectors where other.name != vector.name {
            let stranger = try PublicKey(rawRepresentation: other.bytes("PublicKey"))
            #expect(!stranger.isValidSignature(signature, for: message), "\(other.name)")
        }
    }

    @Test(arguments: vectors)
    func onlySixtyFourBytesAreASignature(_ vector: OfficialVector) throws {
        let key = try PublicKey(rawRepresentation: vector.bytes("PublicKey"))
        let message = try vector.bytes("Message")
        let signature = try vector.bytes("Signature")
        for count in 0..<signature.count {
            #expect(!key.isValidSignature(signature.prefix(count), for: message), "\(count) bytes")
        }
        for excess in 1...64 {
            let extended = signature + [UInt8](repeating: 0, count: excess)
            #expect(!key.isValidSignature(extended, for: message), "\(extended.count) bytes")
        }
        #expect(!key.isValidSignature(signature + message, for: message) || message.isEmpty)
    }

    @Test(arguments: vectors)
    func sMustBeReduced(_ vector: OfficialVector) throws {
        let key = try PublicKey(rawRepresentation: vector.bytes("PublicKey"))
        let message = try vector.bytes("Message")
        let signature = try vector.bytes("Signature")
        // S + kL solves the same equation; S + 15L still fits into 256 bits.
        var scalar = Array(signature[32...])
        for _ in 1...14 {
            scalar = sum(scalar, Self.order)
            #expect(!key.isValidSignature(signature[..<32] + scalar, for: message))
        }
        for scalar in [[UInt8](repeating: 0, count: 32), Self.order, [UInt8](repeating: 0xff, count: 32)] {
            #expect(!key.isValidSignature(signature[..<32] + scalar, for: message))
        }
    }

    @Test(arguments: vectors)
    func rMustBeTheOneThatWasSigned(_ vector: OfficialVector) throws {
        let key = try PublicKey(rawRepresentation: vector.bytes("PublicKey"))
        let message = try vector.bytes("Message")
        let signature = try vector.bytes("Signature")
        for point in SmallOrderPoints.all {
            #expect(!key.isValidSignature(point + signature[32...], for: message))
        }
        #expect(!key.isValidSignature([UInt8](repeating: 0, count: 64), for: message))
        #expect(!key.isValidSignature([UInt8](repeating: 0xff, count: 64), for: message))
    }

    @Test(arguments: SmallOrderPoints.all)
    func nothingVerifiesUnderASmallOrderKey(_ point: [UInt8]) throws {
        // R = A and S = 0 would satisfy the equation for many messages, and R = neutral for some.
        let key = try PublicKey(rawRepresentation: point)
        let zero = [UInt8](repeating: 0, count: 32)
        for byte in UInt8.min...UInt8.max {
            for commitment in SmallOrderPoints.all {
                #expect(!key.isValidSignature(commitment + zero, for: [byte]))
            }
        }
    }

    private func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var carry = 0
        return zip(left, right).map { left, right in
            carry += Int(left) + Int(right)
            defer { carry >>= 8 }
            return UInt8(truncatingIfNeeded: carry)
        }
    }
}
