import Testing

@testable import AnyServer

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test func everyKindOfValueIsRead() throws {
        let value = try parse(#" {"b":[null,true,false,-7,2.5,1e3,"ü\u0000\ud83d\ude00"],"a":{}} "#)
        let expected: JSONValue = [
            "b": [nil, true, false, -7, 2.5, .number(1000), "ü\0😀"], "a": [:],
        ]
        #expect(value == expected)
        #expect(value.object?.names == ["b", "a"])
    }

    @Test(arguments: [
        ("", JSONError.empty), (" \n\t", .empty), ("{", .incomplete), (#"{"a":"#, .incomplete), (#""abc"#, .incomplete),
        ("{} {}", .trailingBytes(line: 1, column: 4)), ("[1,]", .syntax(line: 1, column: 4)),
        ("{'a':1}", .syntax(line: 1, column: 2)),
        ("nul", .syntax(line: 1, column: 3)),
        ("NaN", .syntax(line: 1, column: 3)),
        ("01", .syntax(line: 1, column: 1)), (#"{"a":1,"b":2,"a":3}"#, .duplicateField(line: 1, column: 16)),
        (#"{"x":{"a":1,"a":1}}"#, .duplicateField(line: 1, column: 15)),
        (#"{"a\u0000":1}"#, .nulInName(line: 1, column: 10)), (#""\ud800""#, .syntax(line: 1, column: 8)),
        ("1e999", .numberOutOfRange(line: 1, column: 5)),
    ])
    func whatIsWrongIsSaid(text: String, expected: JSONError) {
        #expect(throws: expected) { try parse(text) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
    ])
    func invalidUTF8IsRefused(bytes: [UInt8]) {
        #expect(throws: JSONError.notUTF8) { try JSONParser.parse(bytes) }
    }

    @Test func nestingIsBounded() throws {
        let limits = JSONLimits(depth: 3, values: 100)
        let fits = Array("[[[1]]]".utf8)
        #expect(try JSONParser.parse(fits, limits: limits) == [[[1]]])
        #expect(throws: JSONError.tooDeep(limit: 3)) { try JSONParser.parse(Array("[[[[1]]]]".utf8), limits: limits) }
        // Far deeper than any stack: refused before the parser sees it.
        let abyss = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(throws: JSONError.tooDeep(limit: 64)) { try JSONParser.parse(abyss) }
    }

    @Test(arguments: [
        ("99999999999999999999", 99_999_999_999_999_999_999.0), ("-9223372036854775809", -9_223_372_036_854_775_809.0),
        (String(repeating: "1", count: 300), 1.1111111111111112e299),
    ])
    func whatDoesNotFitIntoAWholeNumberIsReal(_ text: String, _ number: Double) throws {
        #expect(try parse(text) == .number(number))
        let around = #"{"a\"9":["12345678901234567890\\",\#(text)  ],"b":9223372036854775807,"c":1e2}"#
        let expected: JSONValue = [
            "a\"9": ["12345678901234567890\\", .number(number)], "b": .integer(.max), "c": .number(100),
        ]
        #expect(try parse(around) == expected)
    }

    @Test func aNumberThatNoDoubleHoldsIsRefused() {
        for text in ["1e999", String(repeating: "9", count: 400), "[99999999999999999999,-1e400]"] {
            #expect { try parse(text) } throws: { error in
                guard case .numberOutOfRange? = error as? JSONError else { return false }
                return true
            }
        }
    }

    @Test func bracketsInTextAreNoNesting() throws {
        let limits = JSONLimits(depth: 1, values: 3)
        #expect(try JSONParser.parse(Array(#"["[[{,,\"[","\\"]"#.utf8), limits: limits) == [#"[[{,,"["#, #"\"#])
    }

    @Test func valuesAreBounded() {
        let many = "[" + String(repeating: "[],", count: 20_000) + "1]"
        #expect(throws: JSONError.tooManyValues(limit: 16_384)) { try parse(many) }
    }

    @Test func aLargeObjectIsSearchedByName() throws {
        let fields = (0..<5000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        let object = try #require(parse("{\(fields)}").object)
        #expect(object.count == 5000)
        #expect(object.integer("k4999") == 4999)
        #expect(object["k5000"] == nil)
    }
}

@Suite struct JSONObjectTests {
    @Test func fieldsKeepTheirOrderThroughChanges() {
        var object: JSONObject = ["z": 1, "a": 2, "m": 3]
        object["a"] = nil
        object["z"] = "new"
        object["a"] = true
        #expect(object.fields.map(\.name) == ["z", "m", "a"])
        #expect(object.string("z") == "new")
    }

    @Test func anIndexedObjectStaysRightWhenItShrinks() {
        var object = JSONObject((0..<20).map { ("k\($0)", .integer(Int64($0))) })
        for position in 0..<10 { object["k\(position)"] = nil }
        #expect(object.names == (10..<20).map { "k\($0)" })
        #expect(object.integer("k19") == 19)
        object["k3"] = 3
        #expect(object.names.last == "k3")
        #expect(JSONObject([("a", 1), ("a", 2)]) == ["a": 2])
    }
}

@Suite struct JSONWriterTests {
    private func text(_ value: JSONValue, layout: JSONWriter.Layout = .compact) -> String {
        String(decoding: JSONWriter.bytes(value, layout: layout), as: UTF8.self)
    }

    @Test func compactTextHasNoWhiteSpace() {
        let value: JSONValue = ["b": [1, -2.5, nil, true, false], "a": [:], "c": []]
        #expect(text(value) == #"{"b":[1,-2.5,null,true,false],"a":{},"c":[]}"#)
    }

    @Test func prettyTextIsIndented() {
        let value: JSONValue = ["b": [1, 2], "a": [:], "c": ["x": "y"]]
        #expect(
            text(value, layout: .pretty) == """
                {
                  "b": [
                    1,
                    2
                  ],
                  "a": {},
                  "c": {
                    "x": "y"
                  }
                }
                """)
    }

    @Test func textIsEscaped() {
        #expect(text("a\"\\\n\r\t\u{1}\u{1F}/ü😀\0") == #""a\"\\\n\r\t\u0001\u001f/ü😀\u0000""#)
    }

    @Test(arguments: [
        (5.0, "5"),
        (-0.5, "-0.5"),
        (1e20, "1e+20"),
        (.infinity, "null"),
        (.nan, "null"),
        (9_007_199_254_740_992, "9007199254740992.0"),
    ])
    func numbersAreJSON(value: Double, expected: String) {
        #expect(text(.number(value)) == expected)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let value: JSONValue = [
            "t": "\u{8}\u{C}\u{7F}\u{2028}", "n": [0, .integer(.max), .integer(.min), 1e-7, 1e300],
        ]
        #expect(try JSONParser.parse(JSONWriter.bytes(value)) == value)
        #expect(try JSONParser.parse(JSONWriter.bytes(value, layout: .pretty)) == value)
    }
}
