import PushCrypto
import TestSupport
import Testing

@Suite struct PublicKeyTests {
    // Encodings of an x that does not exist: y = 2 and two more whose (y² - 1) / (dy² + 1) is no square.
    static let offCurve = ["02", "07", "08"].map { $0 + String(repeating: "00", count: 31) }

    @Test(arguments: offCurve)
    func bytesOffTheCurveAreNoKey(_ hex: String) throws {
        let bytes = try OfficialVectors.bytes(hex: hex)
        #expect(throws: KeyError.notACurvePoint) { try PublicKey(rawRepresentation: bytes) }
        #expect(throws: KeyError.notACurvePoint) { try PublicKey(marshalled: [0x12, 32] + bytes) }
    }

    // libsodium refuses these; addresses that carry them exist and must decode (protocol.md §1).
    @Test(arguments: SmallOrderPoints.all)
    func smallOrderAndUnreducedPointsAreKeys(_ point: [UInt8]) throws {
        let key = try PublicKey(rawRepresentation: point)
        #expect(key.rawRepresentation == point)
        #expect(try PublicKey(accountAddress: key.accountAddress) == key)
        #expect(try PublicKey(networkId: key.networkId) == key)
        #expect(try PeerId(PeerId(publicKey: key).text).publicKey == key)
        #expect(try PublicKey(marshalled: key.marshalled) == key)
    }

    @Test func keysAreEqualWhenTheirBytesAre() throws {
        let keys = try SmallOrderPoints.all.map { try PublicKey(rawRepresentation: $0) }
        #expect(Set(keys).count == SmallOrderPoints.all.count)
        for (left, right) in zip(keys, SmallOrderPoints.all) {
            let same = try PublicKey(rawRepresentation: right)
            #expect(left == same)
            #expect(left.hashValue == same.hashValue)
        }
    }

    @Test func bytesMayComeFromAnyCollection() throws {
        let key = SigningKey()
        let bytes = key.publicKey.rawRepresentation
        #expect(try PublicKey(rawRepresentation: LazyCollection(bytes)) == key.publicKey)
        #expect(try PublicKey(rawRepresentation: ([0, 0] + bytes)[2...]) == key.publicKey)
        let message = [UInt8](1...100)
        let signature = key.signature(for: message)
        #expect(key.signature(for: LazyCollection(message)) == signature)
        #expect(key.publicKey.isValidSignature(LazyCollection(signature), for: LazyCollection(message)))
        #expect(key.publicKey.isValidSignature(key.signature(for: []), for: []))
    }

    @Test func freshKeysDiffer() {
        #expect(SigningKey() != SigningKey())
        #expect(SymmetricKey() != SymmetricKey())
    }
}
