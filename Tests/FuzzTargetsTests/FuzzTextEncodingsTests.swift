import FuzzTargets
import Testing

/// Inputs that reach every branch of the function that the fuzzer drives; a broken invariant ends the process.
@Suite struct FuzzTextEncodingsTests {
    @Test func textsOfEveryKindHold() {
        let texts = [
            "", "1", "11", "1111111", "z", "0OIl", "A", "AAyRnG5Kw4CnuHJzdqVrzMuuLFgzNRyGNdN5rssXSsu4d19y",
            "12D3KooWDpp7U7W9Q8feMZPPEpPP5FKXTUakLgnVLbavfjb9mzrT", "m", "m/", "m/0'", "m/44'/2046'/0'", "0'/1'",
            "a/b//",
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            "\u{301}", "\u{0}", String(repeating: "1", count: 300), String(repeating: "z", count: 256),
        ]
        for text in texts { fuzzTextEncodings(Array(text.utf8)) }
    }

    @Test func bytesOfEveryLengthHold() {
        for count in 0...200 {
            for byte in [0x00, 0x01, 0x31, 0x5b, 0x80, 0xff] as [UInt8] {
                fuzzTextEncodings([UInt8](repeating: byte, count: count))
            }
        }
    }

    @Test func keysThatAreRealHold() {
        for byte in UInt8.min...UInt8.max {
            fuzzTextEncodings([byte] + [UInt8](repeating: 0, count: 31))
            fuzzTextEncodings([byte] + [UInt8](repeating: 0xff, count: 30) + [0x7f])
        }
    }
}
