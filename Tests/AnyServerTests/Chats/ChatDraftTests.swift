import Testing

@testable import AnyServer

struct ChatDraftTests {
    private func code(_ body: JSONObject) -> String? {
        do throws(ChatError) {
            _ = try ChatDraft(body)
            return nil
        } catch {
            return error.apiError.code.name
        }
    }

    @Test func takesWhatTheContractTakes() throws {
        let attachments: JSONValue = ["a1": ["type": "link", "link": "any://abc/def", "order": 2]]
        let draft = try ChatDraft([
            "text": "hello", "replyToMessageId": "abc", "attachments": attachments,
            "agent": ["name": "bao", "debugLink": "any://sp/dbg#turn_2", "done": false, "outcome": "error"],
            "context": ["spaceId": "s", "objectId": "o", "view": "mail"], "control": ["kind": "break", "hard": true],
        ])
        #expect(draft.text == "hello")
        #expect(draft.replyTo == "abc")
        #expect(draft.extras.attachmentCount == 1)
        #expect(draft.extras.fields["attachments"] == attachments)
        #expect(draft.extras.fields.names == ["agent", "attachments", "context", "control"])
    }

    @Test func aListOfAttachmentsGetsIds() throws {
        let draft = try ChatDraft(["attachments": [["type": "image", "link": "x"], ["type": "link", "link": "y"]]])
        #expect(draft.extras.fields.object("attachments")?.names == ["a1", "a2"])
        for (value, message) in [
            (5, "attachments must be an array or an object, got a number"),
            ([[:]], "attachments[0].type is required"),
            ([["type": "t", "link": "l"], 7], "attachments[1] must be an object, got a number"),
            (["file": [:]], "attachments.file.type is required"),
            (
                [["type": 5, "link": "l"]],
                "attachments[0].type must be text of 1 to \(ChatLimits.nameByteCount) bytes without control characters, "
                    + "got a number"
            ),
        ] as [(JSONValue, String)] {
            #expect { try ChatDraft(["attachments": value]) } throws: { error in
                (error as? ChatError)?.apiError.message == message
            }
        }
    }

    @Test func textIsNeededUnlessSomethingElseIsThere() {
        #expect(code([:]) == "chat.text_required")
        #expect(code(["text": ""]) == "chat.text_required")
        #expect(code(["text": "", "attachments": [:]]) == "chat.text_required")
        #expect(code(["text": "", "agent": ["name": "a", "done": true]]) == "chat.text_required")
        #expect(code(["attachments": ["a": ["type": "t", "link": "l"]]]) == nil)
        #expect(code(["control": ["kind": "break"]]) == nil)
    }

    @Test func countsTheTextInBytes() throws {
        #expect(code(["text": .string(String(repeating: "ü", count: 16_384))]) == nil)
        let error = try #require(throws: ChatError.self) {
            try ChatDraft(text: String(repeating: "ü", count: 16_385))
        }
        #expect(error.apiError.code.name == "chat.text_too_long")
        #expect(error.apiError.details == ["max_bytes": 32_768, "got_bytes": 32_770])
        #expect(throws: ChatError.textTooLong(found: 32_769)) {
            try ChatDraft.checkEdit(String(repeating: "x", count: 32_769))
        }
        #expect(throws: ChatError.textRequired) { try ChatDraft.checkEdit("") }
    }

    @Test(
        arguments: [
            ("replyToMessageId", "chat.reply_id_invalid", [1, .string(String(repeating: "r", count: 257)), "a\nb"]),
            (
                "agent", "chat.agent_invalid",
                [
                    "bao", ["done": true], ["name": "", "done": true], ["name": "a"], ["name": "a", "done": 1],
                    ["name": "a", "done": true, "x": 1], ["name": "a", "done": true, "debugLink": ""],
                ]
            ),
            (
                "attachments", "chat.attachments_invalid",
                [
                    "x", ["a": 1], ["a": ["type": "t"]], ["a": ["link": "l"]], ["": ["type": "t", "link": "l"]],
                    ["a/b": ["type": "t", "link": "l"]], ["a": ["type": "t", "link": "l", "x": 1]],
                    ["a": ["type": "t", "link": .string(String(repeating: "l", count: 2049))]],
                    .array(Array(repeating: ["type": "t", "link": "l"], count: 33)),
                ]
            ),
            ("context", "chat.context_invalid", [1, [:], ["spaceId": 1], ["spaceId": "s", "other": "x"]]),
            (
                "control", "chat.control_invalid",
                [1, [:], ["kind": ""], ["kind": "k", "hard": "yes"], ["kind": "k", "x": 1]]
            ),
        ] as [(String, String, [JSONValue])])
    func namesWhatIsWrong(field: String, expected: String, values: [JSONValue]) {
        for value in values {
            var body: JSONObject = ["text": "x"]
            body[field] = value
            #expect(code(body) == expected, "\(value)")
        }
    }

    @Test func absentAndNullAreTheSame() {
        for field in ["replyToMessageId", "agent", "attachments", "context", "control"] {
            var body: JSONObject = ["text": "x"]
            body[field] = .null
            #expect(code(body) == nil)
        }
        #expect(code(["text": "x", "replyToMessageId": ""]) == nil)
    }
}
