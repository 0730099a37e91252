import Testing

@testable import AnyServer

@Suite struct OpenAPITests {
    private func document(of server: TestServer) async throws -> JSONObject {
        let response = try await server.request("GET", "/v1/openapi.json")
        #expect(response.status == 200)
        return try #require(response.json?.object)
    }

    /// Every `method path` of a document.
    private func operations(_ document: JSONObject) -> Set<String> {
        var all: Set<String> = []
        for path in document.object("paths")?.fields ?? [] {
            for method in path.value.object?.names ?? [] { all.insert("\(method.uppercased()) \(path.name)") }
        }
        return all
    }

    @Test func whatIsServedIsInTheDocumentAndTheOtherWayAround() async throws {
        let api = TestAPI()
        try await withServer(api: api) { server in
            let document = try await document(of: server)
            #expect(document.string("openapi") == "3.1.0")
            let documented = operations(document)
            #expect(
                documented
                    == Set(try api.router().routes.map { "\($0.method.rawValue) \($0.template.openAPIPath)" }))
            #expect(documented.contains("GET /v1/openapi.json"))
            // Asked for, every documented operation is a route, and every other method of its path is not.
            for path in document.object("paths")?.fields ?? [] {
                let target = path.name.replacingParameters(with: "x")
                for method in HTTPMethod.allCases where method != .post || path.name != "/v1/wait" {
                    let isDocumented = documented.contains("\(method.rawValue) \(path.name)")
                    let response = try await server.request(method.rawValue, target)
                    #expect((response.status == 405) == !isDocumented, "\(method) \(target): \(response.status)")
                    #expect(response.status != 404)
                }
            }
        }
    }

    @Test func operationsSayWhatTheirRoutesDeclare() async throws {
        try await withServer { server in
            let document = try await document(of: server)
            let paths = try #require(document.object("paths"))
            let token = try #require(paths.object("/v1/push/token")?.object("post"))
            #expect(token.string("operationId") == "post_v1_push_token")
            #expect(token.object("responses")?.names == ["204", "400", "401", "403", "409", "413", "500", "503"])
            #expect(token.object("responses")?.object("409")?.string("description") == "push.disabled")
            let body = token.object("requestBody")?.object("content")?.object("application/json")?["schema"]
            #expect(body == ["$ref": "#/components/schemas/PushToken"])
            let schema = document.object("components")?.object("schemas")?["PushToken"]
            #expect(
                schema == [
                    "type": "object",
                    "properties": [
                        "platform": ["type": "string", "enum": ["ios", "android"]],
                        "token": ["type": "string", "minLength": 1, "description": "At most 4096 bytes of UTF-8."],
                    ],
                    "required": ["platform", "token"], "additionalProperties": false,
                ])
            let space = try #require(paths.object("/v1/spaces/{id}")?.object("get"))
            #expect(
                space["parameters"] == [
                    ["name": "id", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
                ])
            #expect(space.object("responses")?.object("401") == nil)
            let list = try #require(paths.object("/v1/spaces")?.object("get")?.array("parameters"))
            #expect(list.map { $0.object?.string("name") } == ["status", "limit"])
            let events = paths.object("/v1/spaces/query/subscribe")?.object("post")?.object("responses")?.object("200")
            #expect(events?.object("content")?.names == ["text/event-stream"])
            let text = paths.object("/v1/huge")?.object("get")?.object("responses")?.object("200")
            #expect(text?["content"] == ["text/plain": ["schema": ["type": "string"]]])
            #expect(paths.object("/v1/shutdown")?.object("post")?["security"] == [["controlToken": []], [:]])
        }
    }

    @Test func everyReferenceResolvesAndEveryOperationIdIsItsOwn() async throws {
        try await withServer { server in
            let document = try await document(of: server)
            let schemas = Set(document.object("components")?.object("schemas")?.names ?? [])
            var ids: [String] = []
            func walk(_ value: JSONValue) {
                for field in value.object?.fields ?? [] {
                    if field.name == "$ref", let target = field.value.string {
                        #expect(schemas.contains(target.split(separator: "/").last.map(String.init) ?? ""))
                    }
                    if field.name == "operationId", let id = field.value.string { ids.append(id) }
                    walk(field.value)
                }
                for element in value.array ?? [] { walk(element) }
            }
            walk(.object(document))
            #expect(Set(ids).count == ids.count && ids.count == operations(document).count)
        }
    }

    @Test func theDocumentIsTheSameEveryTime() throws {
        let api = TestAPI()
        let texts = (0..<5).map { _ in
            JSONWriter.bytes(OpenAPIDocument(routes: api.routes, version: "1").value, layout: .pretty)
        }
        #expect(Set(texts).count == 1)
    }

    @Test func aShapeMayBePartOfItself() {
        var components = JSONObject()
        let leaf = Schema.named("Tree", .any)
        let tree = Schema.named("Tree", .object([.optional("children", .array(of: leaf))]))
        #expect(tree.openAPI(components: &components) == ["$ref": "#/components/schemas/Tree"])
        #expect(components.names == ["Tree"])
        #expect(
            components.object("Tree")?.object("properties")?.object("children")?["items"]
                == ["$ref": "#/components/schemas/Tree"])
    }
}

/// In debug builds a handler that answers what its route does not declare is a fault.
@Suite struct ResponseCheckTests {
    private func status(
        _ responses: [RouteResponse], errors: [ErrorCode] = [], handler: @escaping Route.Handler
    ) async throws -> (Int, [String]) {
        let api = TestAPI()
        let route = Route(
            .get, "/x", summary: "x", access: .open, responses: responses, errors: errors, handler: handler)
        let router = try Router(routes: [route], gate: api) { fault in
            api.change { $0.faults.append("\(fault.error)") }
        }
        let head = RequestHead(method: "GET", target: Array("/x".utf8), version: "HTTP/1.1", headers: [:])
        let outcome = await router.respond(to: head, body: [], id: "1")
        return (outcome.response.status.code, api.read { $0.faults })
    }

    private static let name = Schema.object([.required("name", .string())])
    private static let gone = ErrorCode("space.not_found", .notFound)

    @Test func whatIsDeclaredPasses() async throws {
        #expect(try await status([.json(.ok, Self.name)]) { _ in .json(["name": "x"]) } == (200, []))
        #expect(try await status([.noContent]) { _ in .noContent } == (204, []))
        #expect(
            try await status([.noContent], errors: [Self.gone]) { _ in throw APIError(Self.gone, "gone") }
                == (404, []))
    }

    @Test func whatIsNotDeclaredIsAFault() async throws {
        #expect(
            try await status([.json(.ok, Self.name)]) { _ in .json(["name": 1]) }
                == (
                    500,
                    [
                        "/x: answers 200 OK with a body that is not as declared: "
                            + "name must be a string, got a number (request.invalid_field)"
                    ]
                ))
        #expect(try await status([.json(.ok, Self.name)]) { _ in .json(["name": "x", "y": 1]) }.0 == 500)
        #expect(try await status([.json(.ok, Self.name)]) { _ in .noContent } == (500, ["/x: answers 204 No Content"]))
        #expect(try await status([.bytes(type: "text/plain")]) { _ in .json("x") }.0 == 500)
        #expect(try await status([.json(.noContent, Self.name)]) { _ in .noContent }.0 == 500)
        #expect(
            try await status([.noContent]) { _ in throw APIError(Self.gone, "gone") }
                == (500, ["/x: throws space.not_found"]))
    }

    @Test func otherErrorsAreKnownByTheirProtocol() async throws {
        struct Known: APIErrorConvertible { var apiError: APIError { APIError(.unavailable, "later") } }
        #expect(try await status([.noContent]) { _ in throw Known() } == (503, []))
        #expect(try await status([.noContent]) { _ in throw CancellationError() } == (503, []))
    }
}

extension String {
    /// An OpenAPI path with a text in the place of each parameter.
    fileprivate func replacingParameters(with text: String) -> String {
        split(separator: "/").map { $0.hasPrefix("{") ? text : String($0) }.map { "/" + $0 }.joined()
    }
}
