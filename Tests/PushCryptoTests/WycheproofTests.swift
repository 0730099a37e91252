import FoundationEssentials
import PushCrypto
import TestSupport
import Testing

@Suite struct WycheproofTests {
    @Test func ed25519() throws {
        let file: WycheproofFile<Ed25519Group> = try load("ed25519_test.json")
        var run = 0
        for group in file.testGroups {
            let key = try PublicKey(rawRepresentation: OfficialVectors.bytes(hex: group.publicKey.pk))
            for test in group.tests {
                let signature = try OfficialVectors.bytes(hex: test.sig)
                let isValid = try key.isValidSignature(signature, for: OfficialVectors.bytes(hex: test.msg))
                switch test.result {
                case .valid: #expect(isValid, "\(test.tcId): \(test.comment)")
                case .invalid: #expect(!isValid, "\(test.tcId): \(test.comment)")
                case .acceptable:
                    // Keys with a torsion component are left to the verifier; of small order we take none.
                    #expect(!isValid || !test.flags.contains("SmallOrderPublicKey"), "\(test.tcId): \(test.comment)")
                }
                run += 1
            }
        }
        #expect(run == file.numberOfTests)
    }

    @Test func aesGCM() throws {
        let file: WycheproofFile<GCMGroup> = try load("aes_gcm_test.json")
        var run = 0
        for group in file.testGroups {
            for test in group.tests {
                run += 1
                try check(test, in: group)
            }
        }
        #expect(run == file.numberOfTests)
    }

    // Ours is AES-256 with a 96-bit nonce and no additional data; everything else must be refused.
    private func check(_ test: GCMTest, in group: GCMGroup) throws {
        let keyBytes = try OfficialVectors.bytes(hex: test.key)
        guard group.keySize == 256 else {
            #expect(throws: KeyError.wrongLength(expected: 32, found: keyBytes.count)) {
                try SymmetricKey(rawRepresentation: keyBytes)
            }
            return
        }
        let key = try SymmetricKey(rawRepresentation: keyBytes)
        let nonce = try OfficialVectors.bytes(hex: test.iv)
        let plaintext = try OfficialVectors.bytes(hex: test.msg)
        let sealed = try nonce + OfficialVectors.bytes(hex: test.ct) + OfficialVectors.bytes(hex: test.tag)
        guard group.ivSize == 96, test.aad.isEmpty, test.result == .valid else {
            #expect(throws: SealError.self, "\(test.tcId): \(test.comment)") { try key.open(sealed) }
            if group.ivSize != 96 {
                #expect(throws: SealError.cipherUnavailable) { try key.seal(plaintext, nonce: nonce) }
            }
            return
        }
        #expect(try key.seal(plaintext, nonce: nonce) == sealed, "\(test.tcId): \(test.comment)")
        #expect(try key.open(sealed) == plaintext, "\(test.tcId): \(test.comment)")
    }

    private func load<Group: Decodable>(_ name: String) throws -> WycheproofFile<Group> {
        try JSONDecoder().decode(WycheproofFile<Group>.self, from: OfficialVectors.data("wycheproof/\(name)"))
    }
}

private struct WycheproofFile<Group: Decodable>: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]
}

private enum WycheproofResult: String, Decodable {
    case valid
    case invalid
    case acceptable
}

private struct Ed25519Group: Decodable {
    struct Key: Decodable {
        let pk: String
    }

    struct Test: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let msg: String
        let sig: String
        let result: WycheproofResult
    }

    let publicKey: Key
    let tests: [Test]
}

private struct GCMGroup: Decodable {
    let keySize: Int
    let ivSize: Int
    let tests: [GCMTest]
}

private struct GCMTest: Decodable {
    let tcId: Int
    let comment: String
    let key: String
    let iv: String
    let aad: String
    let msg: String
    let ct: String
    let tag: String
    let result: WycheproofResult
}
