import Testing

@testable import PushReceiver

@Suite struct DisplayTextTests {
    @Test func aNameIsOneLine() {
        for lineBreak in ["\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\t", "\u{0}"] {
            #expect(DisplayText.name("Mallory: hi\(lineBreak)Alice: pay") == "Mallory: hi Alice: pay")
        }
        #expect(DisplayText.name("  a \u{3000}\u{a0}\n b\u{2800}\u{2800} ") == "a b")
        #expect(DisplayText.name("\u{2800}\u{3164}\u{200b} ") == "")
    }

    @Test func nothingTurnsTheWritingAround() {
        for scalar in [
            "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}",
            "\u{2069}", "\u{200e}", "\u{200f}", "\u{61c}",
        ] {
            #expect(DisplayText.name("ab\(scalar)c") == "abc")
            #expect(DisplayText.lines("ab\(scalar)c") == "abc")
        }
        #expect(DisplayText.name("שלום abc مرحبا") == "שלום abc مرحبا")
    }

    @Test func whatHasNoShapeIsLeftOut() {
        for scalar in [
            "\u{200b}", "\u{2060}", "\u{2063}", "\u{feff}", "\u{ad}", "\u{180e}", "\u{34f}", "\u{115f}",
            "\u{1160}", "\u{3164}", "\u{ffa0}", "\u{fff9}", "\u{206a}", "\u{e0041}", "\u{200d}", "\u{200c}",
        ] {
            #expect(DisplayText.name("Al\(scalar)ice") == "Alice", "U+\(scalar.unicodeScalars.map(\.value))")
            #expect(DisplayText.name("\(scalar)Alice\(scalar)") == "Alice")
        }
    }

    @Test func whatWritingNeedsIsKept() {
        let texts = [
            "👩‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "👩🏽‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "☎︎",
            // Persian "I want", Hindi with a half form, Malayalam chillu, Sinhala conjunct, an ideograph's form.
            "می\u{200c}خواهم", "क्\u{200d}ष", "ന്\u{200d}", "ක්\u{200d}ෂ", "葛\u{e0100}",
            // A sign of numbers, a format character with a shape.
            "\u{600}١٢",
        ]
        for text in texts { #expect(DisplayText.name(text) == text) }
        #expect(DisplayText.name("👩\u{200d}\u{200d}👧") == "👩\u{200d}👧", "one joiner at a time")
        #expect(DisplayText.name("می\u{200c}\u{200c}خواهم") == "می\u{200c}خواهم")
        #expect(DisplayText.name("a\u{200d}👧") == "a👧")
    }

    @Test func namesAndTextsEnd() {
        #expect(DisplayText.name(String(repeating: "👩‍👩‍👧‍👦", count: 64)).count == 64)
        let long = DisplayText.name(String(repeating: "👩‍👩‍👧‍👦", count: 65))
        #expect(long.count == 65 && long.last == "…")
        // Marks piled on one letter are one character.
        let pile = DisplayText.name("a" + String(repeating: "\u{301}", count: 3_000) + "b")
        #expect(pile.count == 2 && pile.unicodeScalars.count == 17)
        #expect(DisplayText.lines(String(repeating: "x\n", count: 4_000)).count == 1_025)
    }

    @Test func aTextKeepsItsLinesWhereNothingStandsBeforeIt() {
        #expect(DisplayText.lines("\n\n a\r\nb\u{2028}c\n\n\n\n\nd\u{7} \n") == "a\nb\nc\n\nd")
        #expect(DisplayText.paragraph("hi\nAlice: pay\n\n   now") == "hi Alice: pay now")
    }
}
