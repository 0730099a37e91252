import Testing

@testable import AnyServer

@Suite struct SecretJSONTests {
    private func read(_ text: String) throws -> SecretJSONReader.Object {
        try SecretJSONReader.read(Array(text.utf8))
    }

    @Test func objectsStringsAndNumbersAreRead() throws {
        let text = #" { "a" : "x y" , "b":18446744073709551615,"c":{"d":{"e":0}} } "#
        let object = try read(text)
        #expect(object.text("a", in: Array(text.utf8)) == "x y")
        #expect(object.number("b") == .max)
        #expect(object.object("c")?.object("d")?.number("e") == 0)
        #expect(object.text("b", in: Array(text.utf8)) == nil)
        #expect(object.number("a") == nil)
    }

    @Test(arguments: [
        "", " ", "[]", "{", "}", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{\"a\":\"x}",
        "{\"a\":\"\\n\"}", "{\"a\":\"\n\"}", "{\"a\":-1}", "{\"a\":1.5}", "{\"a\":01}", "{\"a\":true}", "{\"a\":null}",
        "{\"a\":[]}", "{\"a\":18446744073709551616}", "{\"a\":1,\"a\":1}", "{a:1}", "{\"a\":{\"b\":{\"c\":{}}}}",
    ])
    func everythingElseIsRefused(text: String) {
        #expect(throws: SecretJSONReader.Malformed.self) { try read(text) }
    }

    @Test func aDeepTextIsRefusedEarly() {
        #expect(throws: SecretJSONReader.Malformed.self) { try read(String(repeating: "{\"a\":", count: 5000)) }
    }

    @Test(arguments: 0..<40)
    func base64IsReadBack(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
        let text = SecretBase64.encode(bytes)
        #expect(text.count == (count + 2) / 3 * 4)
        #expect(SecretBase64.decode(text, 0..<text.count) == bytes)
    }

    @Test(arguments: ["A", "AA", "AAA", "AA==AA", "AA= ", "A\nAA", "AA-_", "=AAA", "AAAA=", "é"])
    func whatIsNoBase64IsRefused(text: String) {
        #expect(SecretBase64.decode(Array(text.utf8), 0..<text.utf8.count) == nil)
    }
}
