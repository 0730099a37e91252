import FoundationEssentials
import PushCrypto
import TestSupport
import Testing

@Suite struct OfficialDerivationTests {
    static let slip10 = OfficialVectors.blocks("slip-0010-ed25519.txt")
    static let slip21 = OfficialVectors.blocks("slip-0021.txt")

    @Test func theFilesAreWhole() throws {
        #expect(Self.slip10.count == 12)
        #expect(Self.slip21.count == 4)
        #expect(try BIP39Vector.all().count == 24)
    }

    @Test(arguments: slip10)
    func slip10NodesAreThoseOfTheSpecification(_ vector: OfficialVector) throws {
        let node = try SLIP10Node(seed: vector.bytes("Seed"), path: vector.text("Path"))
        #expect(node.chainCode() == (try vector.bytes("ChainCode")))
        #expect(node.rawKey() == (try vector.bytes("Private")))
        #expect([0] + node.signingKey.publicKey.rawRepresentation == (try vector.bytes("Public")))
    }

    @Test(arguments: slip21)
    func slip21KeysAreThoseOfTheSpecification(_ vector: OfficialVector) throws {
        let seed = try Mnemonic(vector.text("Mnemonic")).seed()
        #expect(seed == (try vector.bytes("Seed")))
        let node = try SLIP21Node(seed: seed, path: vector.text("Path"))
        #expect(node.symmetricKey.rawBytes() == (try vector.bytes("Key")))
    }

    // Trezor's seeds are made with the passphrase "TREZOR" and its root keys are secp256k1, neither of which we have.
    // So: entropy gives the phrase, the phrase is valid, and the derivation underneath gives the seed under that
    // passphrase.
    @Test func bip39PhrasesAndSeedsAreThoseOfTrezor() throws {
        for vector in try BIP39Vector.all() {
            #expect(try Mnemonic.phrase(entropy: OfficialVectors.bytes(hex: vector.entropy)) == vector.phrase)
            let seed = try OfficialVectors.bytes(hex: vector.seed)
            #expect(try Mnemonic(vector.phrase, passphrase: "TREZOR").seed() == seed)
            #expect(try Mnemonic(vector.phrase).seed() != seed, "the passphrase is a part of the salt")
        }
    }

    // The last of 24 words carries 3 bits of entropy and 8 of checksum, so 8 of 2048 words fit behind any 23 others.
    @Test func theChecksumIsThatOfTheSpecification() throws {
        let words = (0..<2048).compactMap { index in
            Mnemonic.phrase(entropy: [UInt8(index >> 3), UInt8(index & 7) << 5] + [UInt8](repeating: 0, count: 14))?
                .split(separator: " ").first
        }
        #expect(Set(words).count == 2048)
        #expect(words == words.sorted())
        for vector in try BIP39Vector.all() where vector.phrase.split(separator: " ").count == 24 {
            let others = vector.phrase.split(separator: " ").dropLast().joined(separator: " ")
            let fitting = words.filter { word in
                do throws(Mnemonic.Failure) {
                    _ = try Mnemonic("\(others) \(word)")
                    return true
                } catch {
                    #expect(error == .wrongChecksum)
                    return false
                }
            }
            #expect(fitting.count == 8)
            #expect(fitting.contains { vector.phrase.hasSuffix(" \($0)") })
        }
    }
}

/// One English vector of Trezor's file: an array of four strings.
private struct BIP39Vector: Decodable {
    let entropy: String
    let phrase: String
    let seed: String

    init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        entropy = try fields.decode(String.self)
        phrase = try fields.decode(String.self)
        seed = try fields.decode(String.self)
    }

    static func all() throws -> [BIP39Vector] {
        struct File: Decodable {
            let english: [BIP39Vector]
        }
        return try JSONDecoder().decode(File.self, from: OfficialVectors.data("bip39-english.json")).english
    }
}
