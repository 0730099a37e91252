import Testing

/// What a cold start costs.
@Suite(.serialized) struct StartupTests {
    // Measured 12 ms in a release build, 30 ms in a debug build and several times that with a sanitizer. This finds
    // what is of another order: a TLS library that is set up for nothing, a table that is built for every command.
    private static let bound = Duration.milliseconds(250)

    @Test func aColdCommandTakesLittleProcessorTime() async throws {
        try await withScriptedServer({ _ in .response(200, #"{"registered":false}"#) }) { server in
            // The least of several: what else the machine does can only add to it.
            var least = Duration.seconds(60)
            for _ in 0..<8 {
                let run = try await server.run("push", "token", "status")
                #expect(run.status == 0)
                least = min(least, run.time)
            }
            #expect(least < Self.bound)
        }
    }
}
