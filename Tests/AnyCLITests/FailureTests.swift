import TestSupport
import Testing

/// What the user sees, and how the tool ends, when it does not go well.
@Suite(.serialized) struct FailureTests {
    @Test(arguments: [
        (409, "push.disabled", "Conflict", 1), (400, "request.bad", "Bad Request", 1),
        (401, "auth.required", "Unauthorized", 1), (404, "space.not_found", "Not Found", 1),
        (413, "request.too_large", "Request Entity Too Large", 1), (500, "internal", "Internal Server Error", 2),
        (501, "sdk.not_implemented", "Not Implemented", 2), (503, "server.unavailable", "Service Unavailable", 2),
    ])
    func aRefusalIsOneLineAndItsExitCode(status: Int, code: String, reason: String, exit: Int32) async throws {
        try await withScriptedServer({ _ in .error(status, code, "it may not be") }) { server in
            let run = try await server.run("push", "token", "status")
            #expect(run.status == exit)
            #expect(run.output.isEmpty)
            #expect(run.errors == "any: \(reason): it may not be (\(code))\n")
        }
    }

    @Test func wordsOfTheServerDoNotSteerTheTerminal() async throws {
        let message = #"two\nlines and \u001b[31mred\u0007"#
        try await withScriptedServer({ _ in .error(400, "request.bad", message) }) { server in
            let run = try await server.run("space", "list")
            #expect(run.errors == "any: Bad Request: two lines and \u{FFFD}[31mred\u{FFFD} (request.bad)\n")
        }
    }

    @Test func anAnswerOfSomethingElseIsSaidToBe() async throws {
        try await withScriptedServer({ _ in .response(200, "<html>", type: "text/html") }) { server in
            let run = try await server.run("space", "list")
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.errors == "any: the server's answer is no JSON; is it a server of any?\n")
        }
        try await withScriptedServer({ _ in .response(502, "<html>", type: "text/html") }) { server in
            let run = try await server.run("space", "list")
            #expect(run.status == 2)
            #expect(run.errors == "any: Bad Gateway: the server answered 502 and said no more\n")
        }
    }

    @Test func aRefusedConnectionHasItsAdvice() async throws {
        let server = try ScriptedServer(.silence)
        let address = server.address
        server.stop()
        let run = try await AnyProcess.run("status", "--addr", address)
        #expect(run.status == 3)
        #expect(
            run.errors
                == "any: cannot reach server at \(address)\nstart one with `any run`, or name another with --addr\n")
    }

    @Test func aServerThatSaysNothingIsGivenUp() async throws {
        try await withScriptedServer({ _ in .silence }) { server in
            let run = try await server.run("status", "--timeout", "200ms")
            #expect(run.status == 3)
            #expect(
                run.errors
                    == "any: the server at \(server.address) did not answer in time; give it more with --timeout\n")
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\"", "SSH-2.0-OpenSSH_9.2\r\n"])
    func anAnswerThatIsCutEndsWithThree(text: String) async throws {
        try await withScriptedServer({ _ in .bytes(text) }) { server in
            let run = try await server.run("status")
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors.hasPrefix("any: the connection to the server at \(server.address) was lost: "))
            #expect(run.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let away = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer({ _ in .bytes(away) }) { server in
            let run = try await server.run("status")
            #expect(run.status == 2)
            #expect(run.errors == "any: Found: the server answered 302 and said no more\n")
        }
    }

    @Test(arguments: [
        ("nothing", "any: address \"nothing\" is not host:port, such as 127.0.0.1:7001, nor unix:/path\n"),
        ("::1:7001", "any: address \"::1:7001\" is not host:port, such as 127.0.0.1:7001, nor unix:/path\n"),
        ("a@b:1", "any: address \"a@b:1\" is not host:port, such as 127.0.0.1:7001, nor unix:/path\n"),
        (
            "localhost:70000",
            "any: address \"localhost:70000\" is not host:port, such as 127.0.0.1:7001, nor unix:/path\n"
        ),
    ])
    func anAddressThatIsNoneIsSaid(address: String, message: String) async throws {
        let run = try await AnyProcess.run("status", "--addr", address)
        #expect(run.status == 1)
        #expect(run.errors == message)
    }

    @Test(arguments: ["soon", "0", "-1s", "25h"])
    func aTimeoutThatIsNoneIsSaid(text: String) async throws {
        let run = try await AnyProcess.run("status", "--addr", "127.0.0.1:\(RefusedPort.tcp)", "--timeout", text)
        #expect(run.status == 1)
        #expect(run.errors == "any: option --timeout: \"\(text)\" is no duration, such as 30s or 2m, of at most 24h\n")
    }

    /// An id: another word is a chat's name, which the server is asked for.
    static let chat = "bafyreigikrewpn655emfdvnf4ehk26md2bzg2knnjtxb7h7qqevut6o4ki"

    @Test(arguments: [
        (["space", "settings", "s", "--set", "a"], "--set \"a\" is not key=value"),
        (["space", "settings", "s", "--set", "=a"], "--set \"=a\" is not key=value"),
        (["space", "settings", "s", "--set", "a=1", "--set-num", "a=1"], "key \"a\" set more than once"),
        (["space", "settings", "s", "--set", "a=1", "--unset", "a"], "key \"a\" set more than once"),
        (["space", "settings", "s", "--unset", "a", "--unset", "a"], "key \"a\" set more than once"),
        (["space", "settings", "s", "--set-bool", "a=yes"], "--set-bool \"a=yes\": bad value, expected true or false"),
        (["space", "settings", "s", "--set-num", "a=0x10"], "--set-num \"a=0x10\": bad value, expected a number"),
        (["space", "settings", "s", "--set-num", "a=inf"], "--set-num \"a=inf\": bad value, expected a number"),
        (["space", "settings", "s", "--set-num", "a=1e999"], "--set-num \"a=1e999\": bad value, expected a number"),
        (["space", "settings", "s", "--set-num", "a="], "--set-num \"a=\": bad value, expected a number"),
        (["space", "delete", "s"], "deleting a space can not be undone; say --yes to delete s"),
        (["space", "update", "s"], "nothing to do: give --name, --description, --icon-cid, or <body>"),
        (["space", "update", "s", "{}", "--name", "x"], "give either <body> or --name, not both"),
        (["chat", "send", "s", chat], "nothing to do: give --text, --file, or <body>"),
        (["space", "query", "{"], "the body ends in the middle of a JSON value"),
        (["space", "query", "[]"], "the body: expected a JSON object"),
        (["space", "query", "@/nonexistent/body.json"], "there is no file /nonexistent/body.json"),
        (["chat", "list", "s", chat, "--limit", "few"], "option --limit: \"few\" is no number of 0 or more"),
    ])
    func theUsersMistakeIsFoundBeforeTheServerIsAsked(words: [String], message: String) async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            let run = try await server.run(words)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors == "any: \(message)\n")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func aBodyComesFromAFileOrStandardInput() async throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("{ \"limit\": 3 }\n", to: "query.json")
        try await withScriptedServer({ _ in .response(200, "{}") }) { server in
            let file = try await server.run("space", "query", "@" + path)
            let standardInput = try await server.run(["space", "query", "-"], input: "{\"limit\": 4}")
            #expect(file.status == 0 && standardInput.status == 0)
            #expect(server.requests.map(\.body) == ["{ \"limit\": 3 }\n", "{\"limit\": 4}"])
            try folder.write(String(repeating: " ", count: 1 << 20) + "{}", to: "large.json")
            let large = try await server.run("space", "query", "@" + folder.path("large.json"))
            #expect(large.status == 1)
            #expect(large.errors.contains("large.json"))
        }
    }
}
