import PushCrypto
import Testing

@Suite struct MnemonicTests {
    static let phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

    @Test(arguments: [0, 1, 2, 3, 9, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 27, 300])
    func otherNumbersOfWordsAreNoPhrase(_ count: Int) {
        let text = Array(repeating: "abandon", count: count).joined(separator: " ")
        #expect(throws: Mnemonic.Failure.wrongWordCount(count)) { try Mnemonic(text) }
        // The number comes first, whatever the words.
        let unknown = Array(repeating: "x", count: count).joined(separator: " ")
        #expect(throws: Mnemonic.Failure.wrongWordCount(count)) { try Mnemonic(unknown) }
    }

    @Test(arguments: 1...12)
    func anUnknownWordIsNamedByItsPosition(_ position: Int) {
        for unknown in ["Abandon", "ABANDON", "abandom", "aban", "ábandon", "abandon,", "abandon\u{200b}", "123"] {
            var words = Self.phrase.split(separator: " ").map(String.init)
            words[position - 1] = unknown
            #expect(throws: Mnemonic.Failure.unknownWord(position: position)) {
                try Mnemonic(words.joined(separator: " "))
            }
        }
    }

    @Test func anotherOrderOrWordHasAWrongChecksum() {
        let all = Array(repeating: "abandon", count: 12).joined(separator: " ")
        #expect(throws: Mnemonic.Failure.wrongChecksum) { try Mnemonic(all) }
        let swapped = "about " + Array(repeating: "abandon", count: 11).joined(separator: " ")
        #expect(throws: Mnemonic.Failure.wrongChecksum) { try Mnemonic(swapped) }
    }

    @Test func aTextWithoutEndIsNotRead() {
        let text = Self.phrase + String(repeating: " ", count: 5000)
        #expect(throws: Mnemonic.Failure.tooLong(byteCount: text.utf8.count)) { try Mnemonic(text) }
    }

    // Any white space separates, and the seed is made from the text as it was given (protocol.md §1).
    @Test(arguments: ["  ", "\t", "\n", "\r\n", "\u{a0}", "\u{85}", "\u{2003}", "\u{3000}"])
    func anyWhiteSpaceSeparates(_ space: String) throws {
        let text = Self.phrase.split(separator: " ").joined(separator: space)
        #expect(try Mnemonic(text).seed() != Mnemonic(Self.phrase).seed())
        #expect(try Mnemonic(space + Self.phrase + space).seed() != Mnemonic(Self.phrase).seed())
    }

    @Test func aMarkOnASpaceBelongsToTheNextWord() {
        let text = "abandon \u{301}" + Self.phrase.dropFirst("abandon ".count)
        #expect(throws: Mnemonic.Failure.unknownWord(position: 2)) { try Mnemonic(text) }
    }

    @Test func entropyOfEveryLengthRoundTrips() throws {
        for count in [16, 20, 24, 28, 32] {
            for byte in [0x00, 0x7f, 0x80, 0xa5, 0xff] as [UInt8] {
                let phrase = try #require(Mnemonic.phrase(entropy: [UInt8](repeating: byte, count: count)))
                #expect(phrase.split(separator: " ").count == count * 3 / 4)
                _ = try Mnemonic(phrase)
            }
        }
        for count in [0, 1, 12, 15, 17, 18, 31, 33, 36, 64] {
            #expect(Mnemonic.phrase(entropy: [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    @Test func accountKeysFollowTheirPath() throws {
        let mnemonic = try Mnemonic(Self.phrase)
        for index in [0, 1, 7, 1 << 31 - 1] as [UInt32] {
            let master = try SLIP10Node(seed: mnemonic.seed(), path: "m/44'/2046'/\(index)'")
            #expect(try mnemonic.masterNode(index: index).rawKey() == master.rawKey())
            #expect(try mnemonic.accountKey(index: index) == master.child(0).signingKey)
        }
        #expect(throws: DerivationError.indexOutOfRange("2147483648'")) { try mnemonic.accountKey(index: 1 << 31) }
        #expect(throws: DerivationError.indexOutOfRange("4294967295'")) { try mnemonic.masterNode(index: .max) }
    }
}
