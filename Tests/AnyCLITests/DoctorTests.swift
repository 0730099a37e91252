import Testing

/// `any push doctor` on the reports of a server.
@Suite(.serialized) struct DoctorTests {
    private static let sick = """
        {"ok":false,"stages":[
        {"name":"configuration","status":"ok","message":"All is set.","details":{"peer":"from the file"}},
        {"name":"clock","status":"warning","message":"It is 3 s late.","fix":"set the clock","details":{"skew":["3 s","4 s"]}},
        {"name":"connect","status":"fail","message":"Nobody answers.","fix":"start the node"}],"notChecked":[{"name":"tls","reason":"nobody answers"},{"name":"topics","reason":"nobody answers"}]}
        """

    @Test func eachStageIsALineWithItsFix() async throws {
        try await withScriptedServer({ _ in .response(200, Self.sick) }) { server in
            let run = try await server.run("push", "doctor")
            #expect(run.status == 1 && run.errors.isEmpty)
            #expect(
                run.output == """
                    ok       server         The server at \(server.address) answers.
                    ok       configuration  All is set.
                    warning  clock          It is 3 s late.
                             fix: set the clock
                             skew: 3 s
                             skew: 4 s
                    fail     connect        Nobody answers.
                             fix: start the node
                    not checked, because nobody answers: tls, topics

                    2 ok, 1 warning, 1 failed

                    """)
            #expect(server.requests.map(\.target) == ["/v1/push/doctor"])
        }
    }

    @Test func warningsAreNoFailure() async throws {
        let report = #"{"ok":true,"stages":[{"name":"clock","status":"warning","message":"Late."}]}"#
        try await withScriptedServer({ _ in .response(200, report) }) { server in
            let run = try await server.run("push", "doctor", "--json")
            #expect(run.status == 0)
            #expect(
                run.output == """
                    {
                      "ok": true,
                      "stages": [
                        {
                          "name": "server",
                          "status": "ok",
                          "message": "The server at \(server.address) answers."
                        },
                        {
                          "name": "clock",
                          "status": "warning",
                          "message": "Late."
                        }
                      ]
                    }

                    """)
        }
    }

    @Test func aServerThatIsNotThereIsAFailedStage() async throws {
        let server = try ScriptedServer(.silence)
        let address = server.address
        server.stop()
        let run = try await AnyProcess.run("push", "doctor", "--addr", address)
        #expect(run.status == 3 && run.errors.isEmpty)
        #expect(
            run.output == """
                fail     server  cannot reach server at \(address)
                         fix: start one with `any run`, or name another with --addr

                0 ok, 0 warnings, 1 failed

                """)
    }

    @Test func aServerWithoutAnAccountIsAFailedStage() async throws {
        try await withScriptedServer({ _ in .error(401, "auth.required", "no account is running") }) { server in
            let run = try await server.run("push", "doctor")
            #expect(run.status == 1 && run.errors.isEmpty)
            #expect(
                run.output.hasPrefix(
                    """
                    fail     server  Unauthorized: no account is running (auth.required)
                             fix: log in with `any auth login`

                    """))
        }
    }
}
