import Glibc
import TestSupport
import Testing

/// `any push test` on the answers of a server.
@Suite(.serialized) struct PushTestCommandTests {
    private static let sent = """
        {"ok":true,"sent":true,"lastOutcome":4,"stages":[
        {"name":"token","status":"ok","message":"The node has it."},
        {"name":"node","status":"ok","message":"The node took it."}]}
        """

    private static func outcomes(_ number: Int, _ outcome: String, _ status: String) -> String {
        #"{"known":true,"notingSeconds":9,"outcomes":[{"number":\#(number),"secondsAgo":0,"provider":"spool","#
            + #""outcome":"\#(outcome)","tries":1,"status":"\#(status)","message":"the provider said \#(outcome)"}]}"#
    }

    @Test func eachStepIsALineAndTheProviderTheLast() async throws {
        try await withScriptedServer({ request in
            .response(200, request.method == "POST" ? Self.sent : Self.outcomes(5, "delivered", "ok"))
        }) { server in
            let run = try await server.run("push", "test")
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(
                run.output == """
                    ok       token     The node has it.
                    ok       node      The node took it.
                    ok       provider  The provider said delivered.

                    """)
            #expect(server.requests.map(\.target) == ["/v1/push/test", "/v1/push/outcomes"])
        }
    }

    @Test func whatTheProviderRefusesFails() async throws {
        try await withScriptedServer({ request in
            .response(200, request.method == "POST" ? Self.sent : Self.outcomes(5, "token_gone", "fail"))
        }) { server in
            let run = try await server.run("push", "test", "--json", "--space", "one")
            #expect(run.status == 1 && run.errors.isEmpty)
            #expect(run.output.contains(#""message": "The provider said token_gone.""#))
            #expect(server.requests.first?.body == #"{"space":"one"}"#)
        }
    }

    @Test func aNodeThatDoesNotTellIsNotAsked() async throws {
        let answer = #"{"ok":true,"sent":true,"stages":[{"name":"node","status":"ok","message":"Taken."}]}"#
        try await withScriptedServer({ _ in .response(200, answer) }) { server in
            let run = try await server.run("push", "test")
            #expect(run.status == 0 && run.output.contains("look at the phone"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func whatIsOlderThanTheTestIsNotTakenForIt() async throws {
        try await withScriptedServer({ request in
            .response(200, request.method == "POST" ? Self.sent : Self.outcomes(4, "delivered", "ok"))
        }) { server in
            let run = try await server.run("push", "test", "--wait", "0s")
            #expect(run.status == 0 && run.output.contains("warning  provider  Within 0 ms, the node brought nothing"))
        }
    }

    @Test(arguments: [true, false]) func anInterruptEndsTheWaitAndSaysWhatIsKnown(serverHangs: Bool) async throws {
        try await withScriptedServer({ request in
            if request.method == "POST" { return .response(200, Self.sent) }
            return serverHangs ? .silence : .response(200, Self.outcomes(4, "delivered", "ok"))
        }) { server in
            let process = try ToolProcess(
                ["push", "test", "--wait", "1h", "--addr", server.address], keepsErrors: true,
                environment: ["HOME": "/nonexistent"])
            await eventually { server.requests.count >= 2 }
            process.signal(SIGINT)
            let end = await process.end()
            #expect(end.status == 0 && end.errors.isEmpty)
            #expect(end.output.hasSuffix("Not waited for: the test was interrupted after the node took it.\n"))
        }
    }

    @Test func aTestThatIsNotSentEndsThere() async throws {
        let answer =
            #"{"ok":false,"sent":false,"stages":[{"name":"topics","status":"fail","message":"Muted.","fix":"Hear."}]}"#
        try await withScriptedServer({ _ in .response(200, answer) }) { server in
            let run = try await server.run("push", "test")
            #expect(run.status == 1 && run.output == "fail     topics    Muted.\n         fix: Hear.\n")
            #expect(server.requests.count == 1)
        }
    }

    @Test func aModeThatIsNoneIsWarnedOf() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            let run = try await server.run("space", "settings", "s", "--set", "notifyMode=mentoins")
            #expect(run.status == 0 && run.output.isEmpty)
            #expect(
                run.errors
                    == "any: warning: notifyMode \"mentoins\" is none of all, mentions, none, so it counts as not set\n"
            )
            let good = try await server.run("space", "settings", "s", "--set", "notifyMode=mentions", "--set", "x=y")
            #expect(good.status == 0 && good.errors.isEmpty)
        }
    }
}
