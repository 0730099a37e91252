import Testing

@testable import AnyServer

@Suite struct TextPatternTests {
    @Test(arguments: [
        ("", "", true), ("", "x", true), ("a", "cat", true), ("^a", "cat", false), ("t$", "cat", true),
        ("^cat$", "cat", true),
        ("c.t", "cut", true), ("c.t", "c\nt", false), ("a|b", "xb", true), ("^(ab|c)d$", "abd", true),
        ("^(ab|c)d$", "ad", false),
        ("ab*c", "ac", true), ("ab*c", "abbbc", true), ("ab+c", "ac", false), ("ab?c", "abc", true),
        ("^a{2}$", "aa", true),
        ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaa", true), ("^a{2,3}$", "aaaa", false), ("^a{0}b$", "b", true),
        ("a{x", "a{x", true), ("[abc]+$", "xxcab", true), ("[^a-c]", "abc", false), ("[]a]", "]", true),
        ("[a-]", "-", true),
        ("\\d{3}", "ab123", true), ("^\\w+$", "a_9", true), ("^\\w+$", "a-9", false), ("a\\sb", "a b", true),
        ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false), ("\\.", "a.b", true), ("\\.", "ab", false),
        ("(?i)STRASSE", "strasse", true), ("(?:ab)+c", "ababc", true), ("é", "café", true), ("(a*)*b", "aaaa", false),
        ("(|a)+$", "b", true), ("[\\d_]+x", "1_x", true), ("a.*?b", "axxb", true),
    ])
    func aPartFitsOrNot(pattern: String, text: String, expected: Bool) throws {
        #expect(try TextPattern(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[a", "*a", "a**", "a{3,2}", "a{1001}", "\\", "\\q", "[b-a]", "(a)\\1", "(?=a)",
        String(repeating: "a", count: 1025), "((a{100}){100}){100}",
    ])
    func whatIsNoPatternIsRefused(pattern: String) {
        #expect(throws: TextPattern.Failure.self) { try TextPattern(pattern) }
    }

    /// Backtracking would not come to an end here.
    @Test func noPatternTakesForever() throws {
        let text = String(repeating: "a", count: 2000)
        #expect(try !TextPattern("(a+)+(a+)+(a+)+b").matches(text))
        #expect(try !TextPattern("(a|a|aa)*(a|a|aa)*c").matches(text))
    }

    @Test func timesAreReadAndWritten() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0), ("2026-07-09T08:30:00.250Z", 1_783_585_800_250),
            ("2026-07-09T10:30:00.25+02:00", 1_783_585_800_250), ("1969-12-31T23:59:59.999Z", -1),
            ("2024-02-29T12:00:00-12:30", 1_709_253_000_000),
        ] as [(String, Int64)] {
            #expect(Timestamp.milliseconds(text) == expected, "\(text)")
        }
        for text in [
            "", "2026", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-07-09T24:00:00Z", "2026-07-09 08:30", "x",
        ] {
            #expect(Timestamp.milliseconds(text) == nil, "\(text)")
        }
        for time in [0, 1, -1, 951_782_400_000, 1_783_585_800_250, -62_135_596_800_000] as [Int64] {
            #expect(Timestamp.milliseconds(Timestamp.text(time)) == time)
        }
    }
}
