import PushCrypto
import Testing

/// Mentions as they are shown: a name, and no ids.
@Suite struct MentionTextTests {
    private static let identity = SigningKey().publicKey.accountAddress
    private static let link = "any://m/bafyreig7xq.2x1k9qz/\(identity)"
    private static var short: String { "@\(identity.prefix(8))…" }

    @Test(arguments: [
        ("[Bob](LINK)", "@Bob"), ("[@Bob](LINK)", "@Bob"), ("hi [Bob](LINK), come", "hi @Bob, come"),
        ("[Bob](LINK) and [Ann](LINK)", "@Bob and @Ann"), ("[Bob](<LINK>)", "@Bob"), ("[ Bob ](LINK)", "@Bob"),
        ("[Bob [the] builder](LINK)", "@Bob [the] builder"), (#"[a\]b\_c \d](LINK)"#, #"@a]b_c \d"#),
        ("![Bob](LINK)", "!@Bob"), ("[x] [Bob](LINK)", "[x] @Bob"), ("[Зоя 👩‍🚀](LINK)", "@Зоя 👩‍🚀"),
        ("[](LINK)", "SHORT"), ("[  ](LINK)", "SHORT"), ("LINK", "SHORT"), ("see LINK.", "see SHORT."),
        ("(LINK)", "(SHORT)"), ("[Bob] (LINK)", "[Bob] (SHORT)"), ("[Bob](LINK \"t\")", "[Bob](SHORT \"t\")"),
        (#"\[Bob](LINK)"#, #"\[Bob](SHORT)"#),
    ])
    func aMentionIsAName(_ text: String, _ shown: String) {
        let text = text.replacing("LINK", with: Self.link)
        #expect(MentionText.shown(text) == shown.replacing("SHORT", with: Self.short))
    }

    @Test(arguments: [
        "", "no link", "[Bob](https://example.org/any)", "any://o/bafy/x", "[Bob](any://o/bafy/x)", "company://m/a/b",
        "any://m//x", "any://m/sp ace/x", "any://m/space/ x", "any://m/space/", "[a](b)", "](", "[", "any://m",
    ])
    func whatIsNoMentionStays(_ text: String) {
        #expect(MentionText.shown(text + " .") == text + " .")
    }

    @Test func aLinkThatTheTextsEndCutsIsShownToo() {
        let whole = "[Bob](\(Self.link))"
        for length in "[Bob](any://m/".utf8.count..<whole.utf8.count {
            #expect(MentionText.shown(String(whole.prefix(length))) == "@Bob")
        }
        #expect(MentionText.shown("any://m/bafyre") == "@…")
        #expect(MentionText.shown("any://m/bafyre/") == "@…")
    }

    @Test func bytesThatAreNoTextPass() {
        let bytes: [UInt8] = [0xff, 0x5b, 0xc3, 0x5d, 0x28] + Array(Self.link.utf8) + [0x29, 0x80]
        #expect(MentionText.shown(bytes) == [0xff, 0x40, 0xc3, 0x80])
    }

    @Test func aTextOfBracketsCostsNoMoreThanItsLength() {
        // 32 KiB, the longest message: every link looks back for its bracket.
        let text = String(repeating: "]](any://m/a/b", count: (32 << 10) / 14)
        #expect(MentionText.shown(text).utf8.count < text.utf8.count)
        #expect(MentionText.shown(String(repeating: "[", count: 32 << 10) + Self.link).hasSuffix(Self.short))
    }
}
