import Testing

@testable import AnyServer

@Suite struct YAMLReaderTests {
    private func read(_ text: String) throws -> YAMLNode? {
        try YAMLReader.read(Array(text.utf8))
    }

    private func error(_ text: String) -> YAMLError? {
        #expect(throws: YAMLError.self) { try read(text) }
    }

    private func scalar(_ text: String, plain: Bool = true, _ line: Int, _ column: Int) -> YAMLNode {
        YAMLNode(content: .scalar(text, isPlain: plain), mark: YAMLMark(line: line, column: column))
    }

    @Test func mappingsListsAndTextsAreReadWithTheirPlaces() throws {
        let node = try #require(try read("a: 1\nb:\n  - x\n  - 'y z'\nc: {d: \"e\\n\"}\n"))
        #expect(node["a"] == scalar("1", 1, 4))
        #expect(
            node["b"]
                == YAMLNode(
                    content: .sequence([scalar("x", 3, 5), scalar("y z", plain: false, 4, 5)]),
                    mark: YAMLMark(line: 3, column: 3)
                )
        )
        #expect(node["c"]?["d"] == scalar("e\n", plain: false, 5, 8))
        #expect(node.entries?.map(\.mark) == [1, 2, 5].map { YAMLMark(line: $0, column: 1) })
        #expect(node["d"] == nil)
    }

    @Test(arguments: ["", "\n", "# a comment\n", "---\n...\n"])
    func nothingIsNothing(text: String) throws {
        let node = try read(text)
        #expect(node == nil || node?.isUnset == true)
    }

    @Test(arguments: [
        ("~", true), ("null", true), ("", true), ("''", true), ("'null'", false), ("0", false), ("[]", false),
    ])
    func unsetIsNullOrEmpty(text: String, expected: Bool) throws {
        #expect(try read("a: \(text)")?["a"]?.isUnset == expected)
    }

    @Test func jsonIsReadToo() throws {
        let node = try read("{\"a\": {\"b\": [1, \"x\"]},\n\t\"c\": null}")
        #expect(node?["a"]?["b"] != nil)
        #expect(node?["c"]?.isUnset == true)
    }

    @Test func columnsCountCharacters() throws {
        #expect(try read("\"é\": x")?.entries?.first?.value.mark == YAMLMark(line: 1, column: 6))
    }

    @Test func aTabIsNamedWhereItIs() {
        #expect(error("push:\n\tpeerId: x\n") == YAMLError(reason: .tab, mark: YAMLMark(line: 2, column: 1)))
        #expect(error("push:\n  a: 1\n  \tb: 2\n")?.reason == .tab)
    }

    @Test func aDuplicateKeyNamesBothLines() {
        #expect(
            error("a: 1\nb:\n  c: 1\n  c: 2\n")
                == YAMLError(reason: .duplicateKey("c", firstLine: 3), mark: YAMLMark(line: 4, column: 3))
        )
    }

    @Test(arguments: [
        ("a: &x 1\nb: *x\n", YAMLError.Reason.alias, 1, 4), ("a: *x\n", .alias, 1, 4), ("a: &x {b: 1}\n", .alias, 1, 4),
        ("a: &x [b]\n", .alias, 1, 4), ("&x a: 1\n", .alias, 1, 1),
        ("a: !!str 1\n", .tag, 1, 4), ("a: !x {b: 1}\n", .tag, 1, 4), ("a: !<tag:x> [1]\n", .tag, 1, 4),
        ("? {a: 1}\n: b\n", .keyIsNoText, 1, 3), ("[a]: b\n", .keyIsNoText, 1, 1),
        ("a: 1\n---\nb: 2\n", .severalDocuments, 2, 1),
    ])
    func whatNoConfigurationNeedsIsRefused(text: String, reason: YAMLError.Reason, line: Int, column: Int) {
        #expect(error(text) == YAMLError(reason: reason, mark: YAMLMark(line: line, column: column)))
    }

    @Test(arguments: ["a: [1, 2", "a: \"x", "a: 1\n b: 2\n", "a: @x", "}", "a: b: c", "%YAML 3.0\n--- a"])
    func brokenSyntaxIsAnErrorWithAPlace(text: String) throws {
        let found = try #require(error(text))
        guard case .syntax = found.reason else {
            Issue.record("\(found)")
            return
        }
        #expect(found.mark.line >= 1 && found.mark.column >= 1)
    }

    @Test func bytesThatAreNotUTF8AreAnErrorAtTheirPlace() {
        let text = Array("a: 1\nbc: ".utf8) + [0xff]
        let error = #expect(throws: YAMLError.self) { try YAMLReader.read(text) }
        #expect(error?.mark == YAMLMark(line: 2, column: 5))
        #expect(throws: YAMLError.self) { try YAMLReader.read([0x61, 0x00]) }
    }

    @Test func aBillionLaughsAreRefusedAtTheFirst() {
        var text = "a: &a [lol]\n"
        for level in 0..<20 { text += "b\(level): &b\(level) [*a, *a]\n" }
        #expect(error(text)?.mark.line == 1)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["[", "{a: ", "- "])
    func depthIsBounded(opening: String) {
        let text = "a: \n " + String(repeating: opening, count: 400_000 / opening.count)
        #expect(error(text)?.reason == .tooDeep(limit: 16))
    }

    @Test func sixteenLevelsAreEnough() throws {
        #expect(try read(String(repeating: "[", count: 15) + "a" + String(repeating: "]", count: 15)) != nil)
        #expect(error(String(repeating: "[", count: 16) + "a")?.reason == .tooDeep(limit: 16))
    }

    @Test(.timeLimit(.minutes(5))) func valuesAreBounded() {
        #expect(error(String(repeating: "- a\n", count: 100_000))?.reason == .tooManyValues(limit: 20_000))
    }

    @Test(.timeLimit(.minutes(5))) func anyBytesAreReadOrRefused() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("a:-[]{}\n \t\"'&*!|>#%@,?1~\u{0}".utf8)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in alphabet.randomElement() ?? 0 }
            _ = try? YAMLReader.read(text)
        }
    }
}
