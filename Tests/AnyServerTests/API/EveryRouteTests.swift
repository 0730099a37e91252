import Locks
import Testing

@testable import AnyServer

/// What holds for each route of the table, by the document that describes it.
@Suite struct EveryRouteTests {
    private struct Operation {
        let method: String
        let path: String
        let body: JSONValue?
        let statuses: Set<Int>

        var parameters: [String] {
            path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        }

        /// The path with texts in the places of its parameters.
        func target(_ value: (String) -> String = { _ in "x" }) -> String {
            path.split(separator: "/").map { part in
                "/" + (part.hasPrefix("{") ? value(String(part.dropFirst().dropLast())) : String(part))
            }.joined()
        }
    }

    private func operations(_ live: LiveServer) async throws -> [Operation] {
        let document = try #require(try await live.request("GET", "/v1/openapi.json").json?.object)
        let schemas = document.object("components")?.object("schemas")
        var all: [Operation] = []
        for path in document.object("paths")?.fields ?? [] {
            for entry in path.value.object?.fields ?? [] {
                let operation = entry.value.object
                var body = operation?.object("requestBody")?.object("content")?.object("application/json")?["schema"]
                body = body?.object?.array("anyOf")?.first ?? body
                if let name = body?.object?.string("$ref")?.split(separator: "/").last { body = schemas?[String(name)] }
                let statuses = operation?.object("responses")?.names.compactMap { Int($0) } ?? []
                all.append(
                    Operation(
                        method: entry.name.uppercased(), path: path.name, body: body, statuses: Set(statuses)))
            }
        }
        return all
    }

    @Test func theTableIsTheContract() async throws {
        try await withAnyServer { live in
            let served = Set(try await operations(live).map { "\($0.method) \($0.path)" })
            let messages = "/v1/spaces/{space}/objects/{object}/chat/messages"
            for route in [
                "GET /v1/health", "GET /v1/auth", "POST /v1/auth", "DELETE /v1/auth", "POST /v1/shutdown",
                "POST /v1/push/token", "GET /v1/push/token", "DELETE /v1/push/token", "GET /v1/push/subscriptions",
                "PATCH /v1/spaces/{id}/settings", "GET /v1/spaces", "GET /v1/spaces/{id}", "PATCH /v1/spaces/{id}",
                "POST /v1/spaces/query", "POST /v1/spaces/query/subscribe", "POST \(messages)",
                "PATCH \(messages)/{message}", "DELETE \(messages)/{message}",
                "POST \(messages)/{message}/reactions/{emoji}",
                "POST /v1/spaces/{space}/objects/{object}/chat/read-all",
                "POST \(messages)/{message}/read", "POST \(messages)/{message}/reactions-read",
                "POST /v1/spaces/{space}/query", "POST /v1/spaces/{space}/properties/{chat}/set/chat",
                "POST /v1/spaces", "POST /v1/spaces/one-to-one", "POST /v1/spaces/{id}/accept",
                "POST /v1/spaces/{id}/decline", "POST /v1/spaces/{id}/one-to-one/accept",
                "POST /v1/spaces/{id}/one-to-one/decline", "POST /v1/spaces/{space}/query/subscribe",
                "POST /v1/catalog/general-chat/setup", "GET /v1/account", "GET /v1/spaces/derived",
                "POST /v1/spaces/{id}/sync", "DELETE /v1/spaces/{id}", "GET /v1/spaces/{id}/members",
                "POST /v1/spaces/{id}/members", "DELETE /v1/spaces/{id}/members/{identity}",
                "POST /v1/spaces/{id}/rotate", "GET /v1/spaces/{id}/export", "POST /v1/spaces/import",
                "GET /v1/spaces/{space}/chats", "POST /v1/spaces/{space}/chats", "PATCH /v1/profile", "GET /v1/profile",
                "GET /v1/push/status", "POST /v1/push/test",
                "GET /v1/push/outcomes", "GET /v1/openapi.json",
            ] {
                #expect(served.contains(route), "\(route)")
            }
        }
    }

    @Test func otherMethodsAreRefused() async throws {
        try await withAnyServer { live in
            let all = try await operations(live)
            for path in Set(all.map(\.path)) {
                let methods = Set(all.filter { $0.path == path }.map(\.method))
                let target = all.first { $0.path == path }?.target() ?? ""
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"] where !methods.contains(method) {
                    let response = try await live.request(method, target)
                    #expect(response.status == 405, "\(method) \(target)")
                    #expect(response.errorCode == "request.method_not_allowed")
                }
            }
        }
    }

    @Test func idsThatCouldLeaveTheirFolderAreRefused() async throws {
        try await withAnyServer { live in
            for operation in try await operations(live) {
                for name in operation.parameters {
                    for text in ["%2e%2e", "..%2f..%2fetc%2fpasswd", "a%2Fb", "%00", "a%5cb", "%ff", "%zz"] {
                        let target = operation.target { $0 == name ? text : "x" }
                        let response = try await live.request(operation.method, target)
                        #expect(response.status == 400, "\(operation.method) \(target)")
                        #expect(response.errorCode == "request.bad")
                    }
                }
            }
        }
    }

    @Test func withoutAnAccountThereIsNone() async throws {
        try await withAnyServer(mode: .managed) { live in
            let open: Set = ["/v1/health", "/v1/auth", "/v1/shutdown", "/v1/openapi.json"]
            for operation in try await operations(live) where !open.contains(operation.path) {
                let response = try await live.request(operation.method, operation.target())
                #expect(response.status == 401, "\(operation.method) \(operation.path)")
                #expect(response.errorCode == "auth.required")
            }
        }
    }

    @Test func bodiesThatAreNoneAreRefused() async throws {
        let deep = String(repeating: #"{"a":"#, count: 70) + "1" + String(repeating: "}", count: 70)
        let bodies: [(bytes: [UInt8], code: String)] = [
            (Array("{".utf8), "request.bad_json"), (Array("{} {}".utf8), "request.bad_json"),
            (Array(#"{"a":1,"a":2}"#.utf8), "request.bad_json"),
            (Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8), "request.bad_json"),
            (Array(deep.utf8), "request.bad_json"), (Array("[]".utf8), "request.bad_json"),
            (Array(#""text""#.utf8), "request.bad_json"), (Array("7".utf8), "request.bad_json"),
            (Array(#"{"zzz":1}"#.utf8), "request.unknown_field"),
        ]
        try await withAnyServer { live in
            let space = try await live.makeSpace()
            for operation in try await operations(live) where operation.body != nil {
                let isStrict = operation.body?.object?.bool("additionalProperties") == false
                for (bytes, code) in bodies where isStrict || code != "request.unknown_field" {
                    let client = try live.client()
                    let head = TestServer.text(
                        operation.method, operation.target { $0 == "id" ? space : "x" },
                        headers: ["Content-Length: \(bytes.count)"])
                    await client.send(Array(head.utf8) + bytes)
                    let response = try await client.response()
                    #expect(response.status == 400, "\(operation.method) \(operation.path) \(code)")
                    #expect(response.errorCode == code, "\(operation.method) \(operation.path)")
                }
                let client = try live.client()
                await client.send(
                    TestServer.text(operation.method, operation.target(), headers: ["Content-Length: 1048577"]))
                #expect(try await client.response().errorCode == "request.too_large")
            }
        }
    }

    /// Each field of each body with values of every kind: whatever comes, it is answered as the document says.
    @Test func valuesOfEveryKindAreAnsweredAsDocumented() async throws {
        let values: [JSONValue] = [
            nil, true, -1, 1.5, .integer(.max), "", "x", "\u{0}", [], [1], [[:]], [:], ["a": ["b": 1]], ["$gt": 1],
            .string(String(repeating: "é", count: 40_000)),
        ]
        try await withAnyServer { live in
            let space = try await live.makeSpace()
            let chats = try await live.request("GET", "/v1/spaces/\(space)/chats").json?.object?.array("chats")
            let chat = try #require(chats?.first?.object?.string("id"))
            for operation in try await operations(live) {
                guard let fields = operation.body?.object?.object("properties")?.names else { continue }
                // Once with ids of nothing, once with those of a space and its chat.
                for target in [
                    operation.target(), operation.target { ["id", "space"].contains($0) ? space : chat },
                ] {
                    for field in fields {
                        for value in values {
                            var body: JSONObject = [field: value]
                            if operation.path.hasPrefix("/v1/spaces/{space}/query"), field != "dataset" {
                                body["dataset"] = "chat_messages"
                                if field != "objectId" { body["objectId"] = .string(chat) }
                            }
                            let client = try live.client()
                            defer { client.close() }
                            let text = String(decoding: JSONWriter.bytes(.object(body)), as: UTF8.self)
                            await client.send(TestServer.text(operation.method, target, body: text))
                            let head = try await client.receive("\r\n\r\n")
                            let status = try #require(Int(head.split(separator: " ")[1]))
                            #expect(operation.statuses.contains(status), "\(operation.method) \(target) \(status)")
                            #expect(status < 500, "\(operation.method) \(target) \(field): \(head)")
                        }
                    }
                }
            }
            #expect(!live.log.withLock { $0.contains { $0.contains("request failed") } })
        }
    }
}
