import Testing

@testable import AnyServer

@Suite struct SchemaTests {
    private static let attachment = Schema.object([
        .required("type", .string()),
        .required(
            "link",
            .string(maxBytes: 4)),
    ])
    private static let message = Schema.object([
        .required("text", .string(maxBytes: 8, isEmptyAbsent: true)),
        .optional("attachments", .array(of: attachment, maxCount: 2)),
        .optional("limit", .integer(0...5)),
        .optional("ratio", .number),
        .optional("agent", .boolean),
        .optional("set", .map(of: .scalar)),
        .optional("total", .nullable(.integer())),
        .optional("objectId", .objectId),
        .optional("context", .anyObject),
        .optional("nested", .openObject([.required("x", .integer())])),
    ])

    private func problem(_ text: String) throws -> String? {
        try Self.message.problem(with: JSONParser.parse(Array(text.utf8)))?.description
    }

    @Test(arguments: [
        #"{"text":"t"}"#, #"{"text":"12345678"}"#, #"{"text":"t","attachments":[],"limit":5,"ratio":1,"agent":false}"#,
        #"{"text":"t","attachments":[{"type":"a","link":"b"}],"set":{"a":1,"b":"x","c":true},"total":null}"#,
        #"{"text":"t","limit":5.0,"total":3,"objectId":"x","context":{"any":[1,{}]},"nested":{"x":1,"y":2}}"#,
        #"{"text":"t","limit":null,"attachments":null}"#,
    ])
    func whatFitsPasses(text: String) throws {
        #expect(try problem(text) == nil)
    }

    @Test(arguments: [
        (#"{"text":"123456789"}"#, "text must be at most 8 bytes, got 9 (request.invalid_field)"),
        (#"{"text":"üüüüü"}"#, "text must be at most 8 bytes, got 10 (request.invalid_field)"),
        (
            #"{"text":"t","attachments":[{"type":"a","link":"b","x":1}]}"#,
            #"unknown field "attachments[0].x"; accepted fields: type, link (request.unknown_field)"#
        ),
        (
            #"{"attachments":[{"type":"a"},{"y":1}]}"#,
            #"unknown field "attachments[1].y"; accepted fields: type, link (request.unknown_field)"#
        ),
        (#"{"text":"t","attachments":[{"type":"a"}]}"#, "attachments[0].link required (request.missing_field)"),
        (
            #"{"text":"t","attachments":[{"type":"a","link":"12345"}]}"#,
            "attachments[0].link must be at most 4 bytes, got 5 (request.invalid_field)"
        ),
        (
            #"{"text":"t","attachments":[1]}"#,
            "attachments[0] must be a JSON object, got a number (request.invalid_field)"
        ),
        (
            #"{"text":"t","attachments":[{},{},{}]}"#,
            "attachments must have at most 2 elements, got 3 (request.invalid_field)"
        ),
        (#"{"text":"t","attachments":{}}"#, "attachments must be an array, got an object (request.invalid_field)"),
        (#"{"text":"t","limit":6}"#, "limit must be between 0 and 5, got 6 (request.invalid_field)"),
        (#"{"text":"t","limit":1.5}"#, "limit must be a whole number (request.invalid_field)"),
        (#"{"text":"t","limit":1e30}"#, "limit must be a whole number (request.invalid_field)"),
        (#"{"text":"t","limit":"1"}"#, "limit must be a whole number, got a string (request.invalid_field)"),
        (#"{"text":"t","ratio":true}"#, "ratio must be a number, got a boolean (request.invalid_field)"),
        (#"{"text":"t","agent":1}"#, "agent must be true or false, got a number (request.invalid_field)"),
        (
            #"{"text":"t","set":{"a":[1]}}"#,
            "set.a must be a string, a number or a boolean, got an array (request.invalid_field)"
        ),
        (#"{"text":"t","set":[]}"#, "set must be a JSON object, got an array (request.invalid_field)"),
        (#"{"text":"t","total":"x"}"#, "total must be a whole number, got a string (request.invalid_field)"),
        (#"{"text":"t","objectId":"undefined"}"#, "objectId must be an object id (object.id_required)"),
        (#"{"text":"t","objectId":7}"#, "objectId must be a string, got a number (request.invalid_field)"),
        (#"{"text":"t","nested":{}}"#, "nested.x required (request.missing_field)"),
        (#"{"limit":9,"text":""}"#, "text required (request.missing_field)"),
    ])
    func whatDoesNotFitIsSaid(text: String, expected: String) throws {
        #expect(try problem(text) == expected)
    }

    @Test func manyUnknownFieldsAreNotAllRepeated() throws {
        let body = JSONValue.object(JSONObject((0..<100).map { ("f\($0)", 1) }))
        let error = try #require(Self.message.problem(with: body))
        #expect(error.details?.array("fields")?.count == 8)
    }
}

@Suite struct PercentDecodingTests {
    @Test(arguments: [
        ("", ""),
        ("abc", "abc"),
        ("%41%7a", "Az"),
        ("%c3%BC", "ü"),
        ("a+b", "a+b"),
        ("%25", "%"),
        ("%2525", "%25"),
        ("%00", "\0"),
    ])
    func escapesAreDecodedOnce(text: String, expected: String) {
        #expect(PercentDecoding.text(Array(text.utf8)[...]) == expected)
    }

    @Test(arguments: ["%", "%4", "%4g", "%g4", "a%", "%ff", "%c3", "%c0%80", "%f5%80%80%80", "%ed%bf%bf"])
    func whatIsNoTextIsRefused(text: String) {
        #expect(PercentDecoding.text(Array(text.utf8)[...]) == nil)
    }

    @Test func plusIsASpaceInQueriesOnly() {
        #expect(PercentDecoding.text(Array("a+b%2B".utf8)[...], plusIsSpace: true) == "a b+")
    }
}
