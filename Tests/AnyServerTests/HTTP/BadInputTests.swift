import TestSupport
import Testing

@testable import AnyServer

/// Bodies that are not as the contract wants them (any-api.md, "Bodies").
@Suite struct BadBodyTests {
    private func register(_ body: String) async throws -> RawResponse {
        var result: RawResponse?
        try await withServer { result = try await $0.request("POST", "/v1/push/token", body: body) }
        return try #require(result)
    }

    @Test func aGoodBodyIsTaken() async throws {
        let response = try await register(#"{"token":"abc","platform":"ios"}"#)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
    }

    @Test(arguments: [
        ("", "request.missing_field", "platform required"),
        ("{", "request.bad_json", "the body ends in the middle of a JSON value"),
        (
            #"{"platform":"ios","platform":"ios","token":"t"}"#, "request.bad_json",
            "a field stands twice (line 1, column 28)"
        ),
        ("{\"platform\":1e400}", "request.bad_json", "a number is out of range (line 1, column 17)"),
        ("[]", "request.bad_json", "the body must be a JSON object, got an array"),
        ("null", "request.missing_field", "platform required"),
        (#""ios""#, "request.bad_json", "the body must be a JSON object, got a string"),
        (#"{"x":1}"#, "request.unknown_field", #"unknown field "x"; accepted fields: platform, token"#),
        (
            #"{"x":1,"platform":7,"y":2}"#, "request.unknown_field",
            #"unknown fields "x", "y"; accepted fields: platform, token"#
        ),
        ("{}", "request.missing_field", "platform required"),
        (#"{"token":5}"#, "request.bad_json", "token must be a string, got a number"),
        (#"{"platform":null,"token":"t"}"#, "request.missing_field", "platform required"),
        (#"{"platform":"","token":"t"}"#, "request.missing_field", "platform required"),
        (#"{"platform":"windows"}"#, "request.invalid_field", "platform must be ios or android"),
        (#"{"platform":1}"#, "request.bad_json", "platform must be ios or android, got a number"),
        (#"{"platform":"ios"}"#, "request.missing_field", "token required"),
        (#"{"platform":"ios","token":""}"#, "request.missing_field", "token required"),
        (#"{"platform":"ios","token":["t"]}"#, "request.bad_json", "token must be a string, got an array"),
        (
            #"{"platform":"ios","token":"disabled"}"#, "push.disabled",
            "push notifications are not configured on this server"
        ),
    ])
    func theFirstFaultOfTheContractsOrderIsSaid(body: String, code: String, message: String) async throws {
        let response = try await register(body)
        #expect(response.status == (code == "push.disabled" ? 409 : 400))
        #expect(response.errorCode == code)
        #expect(response.errorMessage == message)
    }

    @Test func detailsNameTheFields() async throws {
        let unknown = try await register(#"{"x":1,"token":"t"}"#)
        #expect(unknown.errorDetails == ["fields": ["x"], "accepted": ["platform", "token"]])
        let invalid = try await register(#"{"platform":"windows"}"#)
        #expect(invalid.errorDetails == ["field": "platform", "platform": "windows"])
        for (given, detail) in [("5", 5), ("true", true), ("[1]", "an array"), ("{}", "an object")]
            as [(String, JSONValue)]
        {
            let wrong = try await register(#"{"platform":\#(given),"token":"t"}"#)
            #expect(wrong.errorDetails == ["field": "platform", "platform": detail])
        }
        let missing = try await register("{}")
        #expect(missing.errorDetails == ["field": "platform"])
    }

    @Test func whatComesBackOfALongNameIsShort() async throws {
        let name = String(repeating: "n", count: 100_000)
        let response = try await register(#"{"\#(name)":1}"#)
        #expect(response.errorCode == "request.unknown_field")
        #expect(response.body.count < 1000)
        let value = try await register(#"{"platform":"\#(name)"}"#)
        #expect(value.body.count < 1000)
    }

    @Test func invalidUTF8IsRefused() async throws {
        try await withServer { server in
            for bytes in [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80]] as [[UInt8]] {
                let body = Array(#"{"platform":"ios","token":""#.utf8) + bytes + Array(#""}"#.utf8)
                let client = try server.client()
                let head = TestServer.text("POST", "/v1/push/token", headers: ["Content-Length: \(body.count)"])
                await client.send(Array(head.utf8) + body)
                let response = try await client.response()
                #expect(response.errorCode == "request.bad_json")
                #expect(response.errorMessage == "the body is not valid UTF-8")
            }
        }
    }

    @Test func deepAndHugeBodiesAreRefused() async throws {
        try await withServer { server in
            let deep = String(repeating: "[", count: 500_000)
            #expect(try await server.request("POST", "/v1/echo", body: deep).errorCode == "request.bad_json")
            let deepObject = String(repeating: #"{"a":"#, count: 100_000)
            #expect(try await server.request("POST", "/v1/echo", body: deepObject).errorCode == "request.bad_json")
            let many = "[" + String(repeating: "[],", count: 300_000) + "0]"
            let response = try await server.request("POST", "/v1/echo", body: many)
            #expect(response.errorMessage == "the body holds more than 16384 values")
        }
    }

    @Test func aBodyOfExactlyTheLimitIsTaken() async throws {
        try await withServer { server in
            let text = String(repeating: "x", count: (1 << 20) - 8)
            let response = try await server.request("POST", "/v1/echo", body: #"{"a":"\#(text)"}"#)
            #expect(response.status == 200)
            #expect(response.body.count == 1 << 20)
        }
    }
}

/// Requests that break HTTP or are larger than allowed.
@Suite struct BadRequestTests {
    private static let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"

    @Test func aLargeContentLengthIsRefusedBeforeTheBody() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 1048577"]))
            let response = try await client.response()
            #expect(response.status == 413)
            #expect(response.errorCode == "request.too_large")
            #expect(response.headers["Connection"] == "close")
            #expect(response.headers["X-Request-Id"] != nil)
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test(arguments: [
        ("Host", ["localhost", "localhost"]), ("Host", ["127.0.0.1", "evil.example"]),
        ("Host", ["evil.example", "127.0.0.1"]), ("Origin", ["https://a.example", "https://b.example"]),
        ("X-Any-Control-Token", ["a", "b"]),
    ])
    func whatDecidesStandsOnce(_ name: String, _ values: [String]) async throws {
        try await withServer { server in
            let client = try server.client()
            let lines = (name == "Host" ? "" : "Host: localhost\r\n") + values.map { "\(name): \($0)\r\n" }.joined()
            await client.send("GET /v1/health HTTP/1.1\r\n\(lines)\r\n")
            let response = try await client.response()
            #expect(response.status == 400 && response.errorCode == "request.bad")
            #expect(response.errorMessage == "the request has the header \(name) more than once")
        }
    }

    @Test func aRequestOfHTTP11WithoutAHostIsRefused() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send("GET /v1/health HTTP/1.1\r\n\r\n")
            #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func aClientThatWaitsForAContinueIsToldInstead() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(
                TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 9999999", "Expect: 100-continue"]))
            #expect(try await client.response().errorCode == "request.too_large")
            #expect(try await client.receiveAll() == "")
            let modest = try server.client()
            await modest.send(
                TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 2", "Expect: 100-continue"]))
            #expect(try await modest.response().status == 100)
            await modest.send("{}")
            #expect(try await modest.response().text == "{}")
        }
    }

    @Test func aLargeBodyThatIsSentAnywayIsAnswered() async throws {
        try await withServer { server in
            // The client reads only after it has sent all of it.
            let response = try await server.request("POST", "/v1/echo", body: String(repeating: " ", count: 1_900_000))
            #expect(response.status == 413)
        }
    }

    @Test func anEndlessChunkedBodyIsRefusedAndCut() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Transfer-Encoding: chunked"]))
            // One mebibyte fits; the next byte is refused, another mebibyte is discarded, then the connection is cut.
            var isOpen = true
            for _ in 0..<200 where isOpen { isOpen = await client.send(Self.chunk) }
            #expect(!isOpen)
            let text = String(decoding: try await client.receive { _, _ in false }, as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 413"))
            await server.api.until { $0.records.count == 1 }
            #expect(server.api.read { $0.records[0].status } == 413)
        }
    }

    @Test func aLargeChunkedBodyIsAnswered() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Transfer-Encoding: chunked"]))
            for _ in 0..<18 { await client.send(Self.chunk) }
            await client.send("0\r\n\r\n")
            let response = try await client.response()
            #expect(response.errorCode == "request.too_large")
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test func aChunkedBodyIsRead() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Transfer-Encoding: chunked"]))
            for chunk in ["4\r\n{\"a\"\r\n", "1\r\n:\r\n", "2\r\n1}\r\n", "0\r\nTrailer: x\r\n\r\n"] {
                await client.send(chunk)
            }
            #expect(try await client.response().text == #"{"a":1}"#)
        }
    }

    @Test(arguments: [
        ["Content-Length: 2", "Transfer-Encoding: chunked"], ["Content-Length: 2", "Content-Length: 3"],
        ["Content-Length: 2", "Content-Length: 2"], ["Transfer-Encoding: gzip"], ["Transfer-Encoding: gzip, chunked"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ])
    func aBodyWhoseEndIsAMatterOfOpinionIsRefused(headers: [String]) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: headers) + "{}")
            let response = try await client.response()
            #expect(response.status == 400)
            #expect(response.errorCode == "request.bad")
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test(arguments: ["-1", "0x10", "1e3", "", "99999999999999999999999", "1 2", "+2"])
    func aContentLengthThatIsNoNumberIsRefused(length: String) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Content-Length: \(length)"]) + "{}")
            let text = try await client.receiveAll()
            #expect(text.hasPrefix("HTTP/1.1 400") || text.hasPrefix("HTTP/1.1 413"), "\(text)")
            #expect(server.api.read { $0.tokens.isEmpty })
        }
    }

    @Test func aContentLengthThatIsTooSmallMakesTheRestNoRequest() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(
                TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 2"]) + "{}{\"a\":1}\r\n\r\n")
            #expect(try await client.response().text == "{}")
            let rest = try await client.receiveAll()
            #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test(arguments: [
        "\r\n\r\n\0\0", "GET\r\n\r\n", "G E T / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n",
        "GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "A: b\r\n", count: 4000))\r\n",
        "GET /?\(String(repeating: "a&", count: 8000)) HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func bytesThatAreNoRequestEndTheConnectionAndNothingElse(text: String) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(text)
            client.halfClose()
            let answer = try await client.receiveAll()
            #expect(answer.isEmpty || !answer.hasPrefix("HTTP/1.1 2"), "\(answer)")
            #expect(try await server.request("GET", "/v1/health").status == 200)
        }
    }

    @Test func allBodiesTogetherAreBounded() async throws {
        var limits = HTTPLimits.patient
        limits.bodyBytes = 1000
        limits.bufferedBytes = 1500
        try await withServer(limits: limits) { server in
            let most =
                TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 1000"])
                + "{" + String(repeating: " ", count: 900)
            let first = try server.client()
            await first.send(most)
            let second = try server.client()
            // Which of the two comes first is open, but not whether both fit.
            await second.send(most)
            await server.api.until { $0.records.count >= 1 }
            #expect(server.api.read { $0.records[0].status } == 503)
            for client in [first, second] { await client.send(String(repeating: " ", count: 98) + "}") }
            var statuses: [Int] = []
            for client in [first, second] { statuses.append(try await client.response().status) }
            #expect(statuses.sorted() == [200, 503])
            #expect(try await server.request("POST", "/v1/echo", body: "{}").status == 200)
        }
    }
}
