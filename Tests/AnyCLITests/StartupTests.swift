import Testing

/// What a cold start costs.
@Suite(.serialized) struct StartupTests {
    // Measured 20 ms in a debug build, all but two of them the loader's for what the tool links, and several times that
    // with a sanitizer. This finds what is of another order: a TLS library that is set up for nothing.
    private static let bound = Duration.milliseconds(150)

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
