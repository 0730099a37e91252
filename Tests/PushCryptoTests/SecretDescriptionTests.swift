import FoundationEssentials
import PushCrypto
import Testing

/// No way of printing a value shows what is secret in it.
@Suite struct SecretDescriptionTests {
    // Recognisable in decimal, in hex and as base64.
    static let seed = [UInt8](repeating: 0xa7, count: 32)

    @Test func keysDoNotShowTheirBytes() throws {
        let signing = try SigningKey(seed: Self.seed)
        let symmetric = try SymmetricKey(rawRepresentation: Self.seed)
        let pair = SpacePushKeys(spaceKey: signing, encryptionKey: symmetric)
        expectSilent(signing)
        expectSilent(symmetric)
        expectSilent(pair)
        expectSilent(pair.receiverKeys)
        expectSilent([signing])
        expectSilent(["key": symmetric])
        expectSilent(Optional(pair.receiverKeys) as Any)
        #expect("\(signing)" == "SigningKey(\(signing.publicKey.accountAddress))")
        #expect("\(pair.receiverKeys)" == "ReceiverKeys(encKeyId: \(symmetric.keyId))")
    }

    @Test func nodesAndPhrasesDoNotShowTheirBytes() throws {
        let first = SLIP10Node(seed: Self.seed)
        let second = SLIP21Node(seed: Self.seed)
        for (value, secrets) in [
            (first as Any, [first.rawKey(), first.chainCode()]),
            (second, [second.symmetricKey.rawBytes(), second.chainCode()]),
        ] {
            for secret in secrets { expect(value, hides: secret) }
        }
        let phrase = try #require(Mnemonic.phrase(entropy: Self.seed))
        let mnemonic = try Mnemonic(phrase)
        expect(mnemonic, hides: mnemonic.seed())
        let word = try #require(phrase.split(separator: " ").first)
        #expect(!everyText(of: mnemonic).contains { $0.contains(word) })
    }

    @Test func errorsDoNotRepeatAWordOfAPhrase() {
        let wrong = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon secretword"
        #expect(throws: Mnemonic.Failure.unknownWord(position: 12)) { try Mnemonic(wrong) }
        do { _ = try Mnemonic(wrong) } catch {
            #expect(!everyText(of: error).contains { $0.contains("secretword") || $0.contains("abandon") })
        }
    }

    private func expectSilent(_ value: Any, location: SourceLocation = #_sourceLocation) {
        expect(value, hides: Self.seed, location: location)
    }

    private func expect(_ value: Any, hides secret: [UInt8], location: SourceLocation = #_sourceLocation) {
        let part = secret.prefix(6)
        let forms = [
            part.map(String.init).joined(separator: ", "),
            part.map { String($0, radix: 16) }.joined(),
            Data(part).base64EncodedString(),
        ]
        for text in everyText(of: value) {
            for form in forms {
                #expect(!text.contains(form), sourceLocation: location)
            }
        }
    }

    private func everyText(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(describing: value), String(reflecting: value), dumped] + mirrored(value, depth: 0)
    }

    private func mirrored(_ value: Any, depth: Int) -> [String] {
        guard depth < 6 else { return [] }
        return Mirror(reflecting: value).children.flatMap { ["\($0.value)"] + mirrored($0.value, depth: depth + 1) }
    }
}
