import PushCrypto
import Testing

@Suite struct AddressTests {
    let key: PublicKey

    init() throws {
        key = try SigningKey(seed: [UInt8](repeating: 3, count: 32)).publicKey
    }

    @Test func textsRoundTripAndDiffer() throws {
        #expect(key.accountAddress.hasPrefix("A"))
        #expect(key.networkId.hasPrefix("N"))
        #expect(try PublicKey(accountAddress: key.accountAddress) == key)
        #expect(try PublicKey(networkId: key.networkId) == key)
        let peer = PeerId(publicKey: key)
        #expect(peer.text.hasPrefix("12D3KooW"))
        #expect(try PeerId(peer.text) == peer)
        #expect("\(peer)" == peer.text)
        #expect("\(key)" == key.accountAddress)
    }

    @Test(arguments: [
        "", " ", "0", "O", "I", "l", "é", "A\u{301}", "A A", "\n", "+/", "\0", String(repeating: "1", count: 257),
    ])
    func whatIsNotBase58IsNamed(_ text: String) {
        #expect(throws: AddressError.notBase58) { try PublicKey(accountAddress: text) }
        #expect(throws: AddressError.notBase58) { try PublicKey(networkId: text) }
        #expect(throws: AddressError.notBase58) { try PeerId(text) }
    }

    @Test func whiteSpaceAroundAnAddressIsNotTrimmed() {
        for text in [" \(key.accountAddress)", "\(key.accountAddress) ", "\(key.accountAddress)\n"] {
            #expect(throws: AddressError.notBase58) { try PublicKey(accountAddress: text) }
        }
    }

    // In the reference's order: length, version, checksum, key length, point.
    @Test func eachCheckHasItsError() {
        expect(.tooShort(byteCount: 1), [0x5b])
        expect(.tooShort(byteCount: 2), [0x00, 0x5b])
        expect(.wrongVersion(expected: 0x5b, found: 0), [0, 0, 0])
        expect(.wrongVersion(expected: 0x5b, found: 0xd3), withChecksum([0xd3] + key.rawRepresentation))
        expect(.wrongVersion(expected: 0x5b, found: 0x5a), [0x5a] + key.rawRepresentation + [0, 0])
        expect(.wrongChecksum, [0x5b, 0, 0])
        expect(.wrongChecksum, [0x5b] + key.rawRepresentation)
        expect(.wrongLength(byteCount: 0), withChecksum([0x5b]))
        expect(.wrongLength(byteCount: 31), withChecksum([0x5b] + key.rawRepresentation.dropLast()))
        expect(.wrongLength(byteCount: 33), withChecksum([0x5b] + key.rawRepresentation + [0]))
        expect(.notACurvePoint, withChecksum([0x5b, 2] + [UInt8](repeating: 0, count: 31)))
    }

    @Test func aNetworkIdIsNoAddressAndTheReverse() {
        #expect(throws: AddressError.wrongVersion(expected: 0x5b, found: 0xd3)) {
            try PublicKey(accountAddress: key.networkId)
        }
        #expect(throws: AddressError.wrongVersion(expected: 0xd3, found: 0x5b)) {
            try PublicKey(networkId: key.accountAddress)
        }
        #expect(throws: AddressError.wrongVersion(expected: 0x5b, found: 0)) {
            try PublicKey(accountAddress: PeerId(publicKey: key).text)
        }
        #expect(throws: AddressError.notAnEd25519PeerId) { try PeerId(key.accountAddress) }
    }

    @Test func everyMistypedCharacterIsNoticed() {
        let address = Array(key.accountAddress)
        for index in address.indices {
            var mistyped = address
            mistyped[index] = address[index] == "2" ? "3" : "2"
            #expect(throws: AddressError.self, "character \(index)") { try PublicKey(accountAddress: String(mistyped)) }
            mistyped = address
            mistyped.remove(at: index)
            #expect(throws: AddressError.self, "without character \(index)") {
                try PublicKey(accountAddress: String(mistyped))
            }
        }
    }

    // libp2p's other forms: RSA and secp256k1 keys, hashed ids, CIDs.
    @Test func eachPeerIdCheckHasItsError() {
        let prefix: [UInt8] = [0x00, 0x24, 0x08, 0x01, 0x12, 0x20]
        let bytes = key.rawRepresentation
        #expect(throws: AddressError.notAnEd25519PeerId) {
            try PeerId("QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N")
        }
        #expect(throws: AddressError.notAnEd25519PeerId) { try PeerId("1") }
        #expect(throws: AddressError.notAnEd25519PeerId) {
            try PeerId(Base58.encode([0x00, 0x24, 0x08, 0x02, 0x12, 0x20] + bytes))
        }
        #expect(throws: AddressError.notAnEd25519PeerId) { try PeerId(Base58.encode([0x12, 0x20] + bytes)) }
        #expect(throws: AddressError.wrongLength(byteCount: 0)) { try PeerId(Base58.encode(prefix)) }
        #expect(throws: AddressError.wrongLength(byteCount: 31)) {
            try PeerId(Base58.encode(prefix + bytes.dropLast()))
        }
        #expect(throws: AddressError.wrongLength(byteCount: 33)) { try PeerId(Base58.encode(prefix + bytes + [1])) }
        #expect(throws: AddressError.notACurvePoint) {
            try PeerId(Base58.encode(prefix + [2] + [UInt8](repeating: 0, count: 31)))
        }
    }

    // CRC-16/XMODEM's own check value, and a few that show the order of bits.
    @Test func crc16IsXMODEM() {
        #expect(CRC16.checksum("123456789".utf8) == 0x31c3)
        #expect(CRC16.checksum([]) == 0)
        #expect(CRC16.checksum([0x80]) == 0x9188)
        #expect(CRC16.checksum([1]) == 0x1021)
    }

    private func expect(
        _ error: AddressError, _ bytes: [UInt8], location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: location) { try PublicKey(accountAddress: Base58.encode(bytes)) }
    }

    private func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        let checksum = CRC16.checksum(bytes)
        return bytes + [UInt8(checksum & 0xff), UInt8(checksum >> 8)]
    }
}
