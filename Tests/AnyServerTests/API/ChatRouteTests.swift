import PushCrypto
import Testing

@testable import AnyServer

@Suite struct ChatRouteTests {
    /// A space and its general chat.
    private func chat(_ live: LiveServer) async throws -> (space: String, chat: String) {
        let space = try await live.makeSpace()
        let list = try await live.request("GET", "/v1/spaces/\(space)/chats").json?.object
        let chats = try #require(list?.array("chats"))
        #expect(chats.count == 1)
        #expect(chats[0].object?.bool("isGeneral") == true)
        return (space, try #require(chats[0].object?.string("id")))
    }

    private func query(
        _ live: LiveServer, _ place: (space: String, chat: String), _ more: JSONObject = [:]
    ) async throws -> RawResponse {
        var body: JSONObject = ["objectId": .string(place.chat), "dataset": "chat_messages"]
        for field in more.fields { body[field.name] = field.value }
        return try await live.request("POST", "/v1/spaces/\(place.space)/query", json: .object(body))
    }

    private func texts(_ response: RawResponse) -> [String] {
        (response.json?.object?.array("records") ?? []).compactMap { $0.object?.string("text") }
    }

    @Test func messagesAreSentChangedAndDeleted() async throws {
        try await withAnyServer { live in
            let place = try await chat(live)
            let messages = "/v1/spaces/\(place.space)/objects/\(place.chat)/chat/messages"
            let sent = try await live.request("POST", messages, json: ["text": "one"])
            #expect(sent.status == 201)
            let write = try #require(sent.json?.object)
            let id = try #require(write.array("recordIds")?.first?.string)
            #expect(Set(write.names).isSuperset(of: ["versionId", "changeId", "recordIds"]))
            let reply: JSONValue = ["text": "two", "replyToMessageId": .string(id)]
            #expect(try await live.request("POST", messages, json: reply).status == 201)
            #expect(texts(try await query(live, place)) == ["one", "two"])
            #expect(texts(try await query(live, place, ["sort": ["-_ver.id"], "limit": 1])) == ["two"])
            let edited = try await live.request("PATCH", "\(messages)/\(id)", json: ["text": "three"])
            #expect(edited.status == 200)
            let found = try await query(live, place, ["filter": ["id": .string(id)]]).json?.object
            let record = try #require(found?.array("records")?.first?.object)
            #expect(record.string("text") == "three")
            #expect(record.string("creator") == live.server.accountId)
            #expect(record.object("_ver")?.string("id") == write.string("versionId"))

            let react = "\(messages)/\(id)/reactions/%F0%9F%91%8D"
            for _ in 0..<2 {
                let reaction = try #require(try await live.request("POST", react).json?.object)
                #expect(reaction.names == ["versionId", "changeId", "recordIds"])
                #expect(reaction["recordIds"] == [.string(id)])
            }
            #expect(
                try await live.request("POST", "\(messages)/\(id)/reactions/\(String(repeating: "e", count: 65))")
                    .errorCode == "chat.emoji_invalid")

            for target in ["\(messages)/\(id)/read", "\(messages)/\(id)/reactions-read"] {
                #expect(try await live.request("POST", target).status == 204)
            }
            let readAll = "/v1/spaces/\(place.space)/objects/\(place.chat)/chat/read-all"
            #expect(try await live.request("POST", readAll).status == 204)
            #expect(try await live.request("DELETE", "\(messages)/\(id)").status == 200)
            #expect(try await live.request("DELETE", "\(messages)/\(id)").errorCode == "record.deleted")
            #expect(texts(try await query(live, place)) == ["two"])
        }
    }

    @Test func whatIsNoMessageIsRefused() async throws {
        try await withAnyServer { live in
            let place = try await chat(live)
            let messages = "/v1/spaces/\(place.space)/objects/\(place.chat)/chat/messages"
            let long = String(repeating: "x", count: 32 * 1024 + 1)
            for (body, code) in [
                (["text": ""], "chat.text_required"), ([:], "chat.text_required"),
                (["text": .string(long)], "chat.text_too_long"), (["text": "x", "agent": 1], "chat.agent_invalid"),
                (["text": "x", "replyToMessageId": 1], "chat.reply_id_invalid"),
                (["text": "x", "attachments": "a"], "chat.attachments_invalid"),
                (["text": "x", "context": []], "chat.context_invalid"),
                (["text": "x", "control": true], "chat.control_invalid"),
                (["text": 1], "request.bad_json"), (["txt": "x"], "chat.text_required"),
            ] as [(JSONObject, String)] {
                let response = try await live.request("POST", messages, json: .object(body))
                #expect(response.status == 400)
                #expect(response.errorCode == code)
            }
            let tooLong = try await live.request("POST", messages, json: ["text": .string(long)])
            #expect(tooLong.errorDetails == ["max_bytes": 32768, "got_bytes": 32769])
            let whole = try await live.request(
                "POST", messages, json: ["text": .string(String(repeating: "x", count: 32 * 1024))])
            #expect(whole.status == 201)
            let missing = try await live.request("PATCH", "\(messages)/none", json: ["text": "x"])
            #expect(missing.errorCode == "chat.not_found")
            let elsewhere = try await live.request(
                "POST", "/v1/spaces/\(place.space)/objects/none/chat/messages", json: ["text": "x"])
            #expect(elsewhere.errorCode == "object.not_found")
            let nothing = try await live.request(
                "POST", "/v1/spaces/\(place.space)/objects/undefined/chat/messages", json: ["text": "x"])
            #expect(nothing.errorCode == "object.id_required")
            #expect(texts(try await query(live, place, ["dataset": "other"])).isEmpty)
            #expect(try await query(live, place, ["sort": ["text"]]).status == 200)
            #expect(try await query(live, (place.space, "null")).errorCode == "object.id_required")
        }
    }

    @Test func manyMessagesAreReadPageByPage() async throws {
        try await withAnyServer { live in
            let place = try await chat(live)
            let messages = "/v1/spaces/\(place.space)/objects/\(place.chat)/chat/messages"
            for number in 0..<230 {
                let sent = try await live.request("POST", messages, json: ["text": .string("m\(number)")])
                #expect(sent.status == 201)
            }
            let late = try await query(live, place, ["offset": 205, "limit": 5, "includeTotal": true])
            #expect(texts(late) == (205..<210).map { "m\($0)" })
            #expect(late.json?.object?.integer("total") == 230)
            #expect(late.json?.object?.bool("hasNext") == true)
            let last = try await query(
                live, place, ["filter": ["text": ["$in": ["m0", "m229"]]], "sort": ["-_ver.id"]])
            #expect(texts(last) == ["m229", "m0"])
            #expect(last.json?.object?.names == ["records"])
            #expect(texts(try await query(live, place)).count == 230)
            let byText = try await query(live, place, ["sort": ["-text"], "limit": 2, "includeTotal": true])
            #expect(texts(byText) == ["m99", "m98"])
            #expect(byText.json?.object?.integer("total") == 230)
            #expect(texts(try await query(live, place, ["filter": ["unreadMention": true]])).isEmpty)
        }
    }

    @Test func mentionsAreFound() async throws {
        try await withAnyServer { live in
            let place = try await chat(live)
            let messages = "/v1/spaces/\(place.space)/objects/\(place.chat)/chat/messages"
            let other = SigningKey().publicKey.accountAddress
            for text in ["plain", "hi any://m/\(place.space)/\(other) there"] {
                _ = try await live.request("POST", messages, json: ["text": .string(text)])
            }
            let found = try await query(live, place, ["filter": ["mentions": .string(other)], "sort": ["-_ver.id"]])
            #expect(texts(found).count == 1)
            #expect(texts(found).first?.hasPrefix("hi ") == true)
            #expect(texts(try await query(live, place, ["filter": ["mentions": "x"]])).isEmpty)
        }
    }

    @Test func aChatHasItsOwnNotifyMode() async throws {
        try await withAnyServer { live in
            let space = try await live.makeSpace()
            let made = try await live.request("POST", "/v1/spaces/\(space)/chats", json: ["name": "Kitchen"])
            #expect(made.status == 201)
            let id = try #require(made.json?.object?.string("id"))
            let target = "/v1/spaces/\(space)/properties/\(id)/set/chat"
            func mode() async throws -> JSONValue? {
                let list = try await live.request("GET", "/v1/spaces/\(space)/chats").json?.object
                return (list?.array("chats") ?? []).compactMap(\.object).first { $0.string("id") == id }?["notifyMode"]
            }
            for name in ["none", "mentions", "all"] {
                let patch: JSONValue = ["patch": ["notifyMode": .string(name)]]
                #expect(try await live.request("POST", target, json: patch).status == 200)
                #expect(try await mode() == .string(name))
            }
            #expect(try await live.request("POST", target, json: ["patch": ["notifyMode": nil]]).status == 200)
            #expect(try await mode() == nil)
            for (body, code) in [
                ([:], "request.missing_field"),
                (["patch": [:]], "request.missing_field"), (["patch": ["mode": "all"]], "request.unknown_field"),
                (["patch": 1], "request.bad_json"),
            ] as [(JSONValue, String)] {
                #expect(try await live.request("POST", target, json: body).errorCode == code)
            }
            let unknown = "/v1/spaces/\(space)/properties/none/set/chat"
            #expect(try await live.request("POST", unknown, json: ["patch": ["notifyMode": "all"]]).status == 404)
            #expect(
                try await live.request("POST", "/v1/spaces/\(space)/chats", json: ["name": ""]).errorCode
                    == "request.missing_field")
        }
    }
}
