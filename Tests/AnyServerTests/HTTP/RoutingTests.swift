import Testing

@testable import AnyServer

@Suite struct RoutingTests {
    @Test(arguments: [
        ("GET", "/v1/nothing", 404, "request.not_found"), ("GET", "/", 404, "request.not_found"),
        ("GET", "/v1/health/", 404, "request.not_found"), ("GET", "//v1/health", 404, "request.not_found"),
        ("GET", "/V1/health", 404, "request.not_found"), ("GET", "/v1/spaces/", 404, "request.not_found"),
        ("POST", "/v1/health", 405, "request.method_not_allowed"),
        ("BREW", "/v1/health", 405, "request.method_not_allowed"),
        ("get", "/v1/health", 405, "request.method_not_allowed"),
        ("TRACE", "/v1/health", 405, "request.method_not_allowed"),
        ("BREW", "/v1/nothing", 404, "request.not_found"), ("GET", "health", 400, "request.bad"),
        ("GET", "*", 400, "request.bad"),
    ])
    func whatIsNotServedIsSaid(method: String, target: String, status: Int, code: String) async throws {
        try await withServer { server in
            let response = try await server.request(method, target)
            #expect(response.status == status)
            #expect(response.errorCode == code)
            #expect(response.headers["Allow"] == (status == 405 ? "GET, HEAD, OPTIONS" : nil))
        }
    }

    @Test(arguments: [
        "/v1/spaces/%2e%2e", "/v1/spaces/..", "/v1/spaces/.", "/v1/spaces/%2E", "/v1/spaces/a%2Fb",
        "/v1/spaces/..%2f..%2fetc",
        "/v1/spaces/a%5Cb", "/v1/spaces/%00", "/v1/spaces/a%00b", "/v1/spaces/%0a", "/v1/spaces/%7F", "/v1/spaces/%ff",
        "/v1/spaces/%c0%ae", "/v1/spaces/%ed%a0%80", "/v1/spaces/%", "/v1/spaces/%4", "/v1/spaces/%zz",
        "/v1/spaces/%%41",
        "/../v1/health", "/v1/./health", "/v1/spaces/x?status=%ff",
    ])
    func idsThatCouldLeaveTheirFolderAreRefused(target: String) async throws {
        try await withServer { server in
            let response = try await server.request("GET", target)
            #expect(response.status == 400)
            #expect(response.errorCode == "request.bad")
        }
    }

    @Test(arguments: [
        ("/v1/spaces/a%20b", "a b"),
        ("/v1/spaces/%F0%9F%98%80", "😀"),
        ("/v1/spaces/a+b", "a+b"),
        ("/v1/spaces/%2e%2e%2e", "..."),
        ("/v1/spaces/a.b", "a.b"),
        ("/v1/spaces/%41", "A"),
        ("/%76%31/spaces/x", "x"),
        ("/v1/spaces/x?status=nonsense", "x"),
        ("http://127.0.0.1/v1/spaces/y", "y"),
    ])
    func idsAreDecoded(target: String, id: String) async throws {
        try await withServer { server in
            let response = try await server.request("GET", target)
            #expect(response.status == 200)
            #expect(response.json == ["id": .string(id)])
        }
    }

    @Test(arguments: ["nil", "null", "undefined", "%3Cnil%3E", "None"])
    func theTextForNothingIsNoObjectId(id: String) async throws {
        try await withServer { server in
            let response = try await server.request("GET", "/v1/spaces/s/objects/\(id)")
            #expect(response.status == 400)
            #expect(response.errorCode == "object.id_required")
            #expect(try await server.request("GET", "/v1/spaces/s/objects/nilo").status == 200)
        }
    }

    @Test func headHasTheHeadOfGet() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("HEAD", "/v1/health") + TestServer.text("GET", "/v1/health"))
            let head = try await client.response(toHead: true)
            #expect(head.status == 200)
            #expect(head.headers["Content-Length"] == "15")
            #expect(try await client.response().text == #"{"status":"ok"}"#)
        }
    }

    @Test func optionsNamesTheMethods() async throws {
        try await withServer { server in
            let response = try await server.request("OPTIONS", "/v1/push/token")
            #expect(response.status == 204)
            #expect(response.headers["Allow"] == "POST, OPTIONS")
            #expect(response.headers["Access-Control-Allow-Methods"] == nil)
            #expect(try await server.request("OPTIONS", "/v1/nothing").status == 404)
        }
    }

    @Test func theAccountGuardComesBeforeTheBody() async throws {
        let api = TestAPI()
        api.change { $0.isAccountRunning = false }
        try await withServer(api: api) { server in
            for (method, target) in [("POST", "/v1/push/token"), ("GET", "/v1/spaces")] {
                let response = try await server.request(method, target)
                #expect(response.status == 401)
                #expect(response.errorCode == "auth.required")
            }
            #expect(try await server.request("GET", "/v1/health").status == 200)
            #expect(try await server.request("GET", "/v1/openapi.json").status == 200)
            #expect(try await server.request("GET", "/v1/push/token").status == 405)
            api.change { $0.isAccountRunning = true }
            #expect(try await server.request("GET", "/v1/spaces").status == 200)
        }
    }

    @Test func aManagedServerWantsItsToken() async throws {
        let api = TestAPI()
        let token = ControlToken()
        let text = token.text
        try await withServer(api: api) { server in
            #expect(try await server.request("POST", "/v1/shutdown").status == 204)
            api.change { $0.controlToken = token }
            for given in ["", String(text.dropLast()), text + "0", ControlToken().text] {
                let headers = given.isEmpty ? [] : ["X-Any-Control-Token: \(given)"]
                let response = try await server.request("POST", "/v1/shutdown", headers: headers)
                #expect(response.status == 403)
                #expect(response.errorCode == "control.forbidden")
            }
            #expect(
                try await server.request("POST", "/v1/shutdown", headers: ["x-any-control-token: \(text)"]).status
                    == 204)
        }
    }

    @Test func queriesAreChecked() async throws {
        try await withServer { server in
            #expect(
                try await server.request("GET", "/v1/spaces?status=deleted&limit=3&x=1").text
                    == #"{"status":"deleted","limit":"3"}"#)
            for (query, message) in [
                ("status=gone", "status must be active or deleted"),
                ("status=active&status=deleted", "status stands more than once"),
                ("limit=10", "limit must be between 1 and 9, got 10"),
                ("limit=x", "limit must be a whole number, got a string"),
            ] {
                let response = try await server.request("GET", "/v1/spaces?\(query)")
                #expect(response.errorCode == "request.invalid_field")
                #expect(response.errorMessage == message)
            }
            #expect(try await server.request("GET", "/v1/spaces?status=&limit").text == #"{"status":"active"}"#)
        }
    }

    @Test func aFaultTellsTheClientNothing() async throws {
        try await withServer { server in
            let response = try await server.request("GET", "/v1/fault", headers: ["X-Request-Id: my-id.1"])
            #expect(response.status == 500)
            #expect(response.errorCode == "internal")
            #expect(!response.text.contains("wallet"))
            #expect(response.headers["X-Request-Id"] == "my-id.1")
            #expect(server.api.read { $0.faults.count == 1 && $0.faults[0].hasPrefix("my-id.1 /v1/fault Secret") })
        }
    }

    @Test(arguments: ["", "a b", "ü", String(repeating: "x", count: 65), "a\tb"])
    func anUnfitRequestIdIsReplaced(given: String) async throws {
        try await withServer { server in
            let response = try await server.request("GET", "/v1/health", headers: ["X-Request-Id: \(given)"])
            let id = try #require(response.headers["X-Request-Id"])
            #expect(id != given && id.hasSuffix("-1"))
        }
    }

    @Test func theAccessRecordHoldsNoIds() async throws {
        try await withServer { server in
            _ = try await server.request("GET", "/v1/spaces/secret-id?x=secret")
            await server.api.until { $0.records.count == 1 }
            let record = server.api.read { $0.records[0] }
            #expect(record.route == "/v1/spaces/:id")
            #expect(record.status == 200 && record.method == "GET" && record.isComplete)
            #expect(!"\(record)".contains("secret"))
        }
    }

    @Test func aTableWithTwoOfAKindIsRefused() {
        let api = TestAPI()
        let route = Route(.get, "/v1/a/:x", summary: "", responses: []) { _ in .noContent }
        #expect(throws: RouteTableError.duplicate(.get, "/v1/a/:x")) { try Router(routes: [route, route], gate: api) }
        let twice = Route(.get, "/v1/:x/:x", summary: "", responses: []) { _ in .noContent }
        #expect(throws: RouteTableError.badParameters("/v1/:x/:x")) { try Router(routes: [twice], gate: api) }
        let absent = Route(.get, "/v1/:x", summary: "", objectIds: ["y"], responses: []) { _ in .noContent }
        #expect(throws: RouteTableError.badParameters("/v1/:x")) { try Router(routes: [absent], gate: api) }
    }
}

@Suite struct BrowserPolicyTests {
    @Test(arguments: ["https://app.example.org", "tauri://localhost", "http://localhost:3000"])
    func anAllowedOriginMayRead(origin: String) async throws {
        try await withServer(
            browsers: BrowserPolicy(origins: ["https://app.example.org", "tauri://localhost", "http://localhost:3000"])
        ) { server in
            let response = try await server.request("GET", "/v1/health", headers: ["Origin: \(origin)"])
            #expect(response.status == 200)
            #expect(response.headers["Access-Control-Allow-Origin"] == origin)
            #expect(response.headers["Vary"] == "Origin")
            let preflight = try await server.request(
                "OPTIONS", "/v1/push/token",
                headers: [
                    "Origin: \(origin)", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Private-Network: true",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.headers["Access-Control-Allow-Methods"] == "POST, OPTIONS")
            #expect(preflight.headers["Access-Control-Allow-Private-Network"] == "true")
            // Errors before the route, and refusals of bodies, can be read too.
            let large = try await server.request(
                "POST", "/v1/echo", headers: ["Origin: \(origin)", "Content-Length: 9999999"])
            #expect(large.headers["Access-Control-Allow-Origin"] == origin)
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://localhost.evil.example", "http://evil.example:7001", "file://",
        "http://", "", "http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443",
    ])
    func anotherOriginMayNotEvenWrite(origin: String) async throws {
        try await withServer { server in
            let response = try await server.request(
                "POST", "/v1/push/token", headers: ["Origin: \(origin)"], body: #"{"platform":"ios","token":"t"}"#)
            #expect(response.status == 403)
            #expect(response.errorCode == "request.forbidden_origin")
            #expect(response.headers["Access-Control-Allow-Origin"] == nil)
            #expect(server.api.read { $0.tokens.isEmpty })
        }
    }

    @Test func aNameThatWasMadeToResolveHereIsRefused() async throws {
        try await withServer(browsers: BrowserPolicy(hosts: ["any.internal"])) { server in
            for host in ["evil.example", "evil.example:7001", "127.0.0.1.evil.example", "128.0.0.1", "localhost:x"] {
                let client = try server.client()
                await client.send("GET /v1/health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await client.response().errorCode == "request.forbidden_origin")
            }
            for host in ["localhost", "LOCALHOST:1", "127.0.0.1:7001", "[::1]", "[::1]:7001", "any.internal:80"] {
                let client = try server.client()
                await client.send("GET /v1/health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await client.response().status == 200)
            }
        }
    }
}
