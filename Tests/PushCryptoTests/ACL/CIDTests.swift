import Testing

@testable import PushCrypto

@Suite struct CIDTests {
    // RFC 4648, section 10, in lower case and without padding.
    @Test(arguments: [
        ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
        ("foobar", "mzxw6ytboi"),
    ])
    func base32(_ text: String, _ encoded: String) {
        var characters: [UInt8] = []
        Base32.append(text.utf8, to: &characters)
        #expect(String(decoding: characters, as: UTF8.self) == encoded)
    }

    @Test func oneTextPerContent() {
        let cid = CID(of: [1, 2, 3])
        #expect(cid.text.utf8.count == CID.textLength)
        #expect(cid.text.hasPrefix("bafyrei"))
        #expect(cid == CID(of: [1, 2, 3]) && cid != CID(of: [1, 2, 4]))
        #expect(cid.matches(cid.text))
        #expect(!cid.matches(cid.text.uppercased()))
        #expect(!cid.matches(cid.text + "a"))
        #expect(!cid.matches(String(cid.text.dropLast())))
        #expect(!cid.matches(""))
    }
}
