/// `any demo`: the whole story once, for people to read and to check itself.
enum DemoCommand {
    static let command = Command(
        name: "demo", abstract: "Run the whole story once: two people, a push node and a phone",
        discussion: """
            Starts a push node as a process of its own on loopback, in a directory that is removed afterwards. Everything is
            real: the ACL log, the keys, the connection, the node's store and what the phone opens. Ends with 0 only if every
            step held.
            """,
        options: [vectors, .json],
        run: { values in
            try await run(vectors: values.option(vectors) ?? "Tests/Vectors", asJSON: values.flag(.json))
        }
    )

    private static let vectors = Command.Option(
        name: "vectors", value: "dir", help: "Where acl.json with the ACL log is. Default: Tests/Vectors.",
        completion: .directories)

    private static func run(vectors: String, asJSON: Bool) async throws -> ExitCode {
        let report = DemoReport(asJSON: asJSON)
        let clock = ContinuousClock()
        let start = clock.now
        let directory = try TemporaryDirectory()
        var failure: (any Error)?
        do {
            try await DemoStory.tell(report, acl: try DemoACL(directory: vectors), directory: directory.path)
        } catch {
            failure = error
            report.stop()
        }
        directory.remove()
        let time = start.duration(to: clock.now) / Duration.seconds(1)
        try report.finish(seconds: time)
        if let failure { Console.error("the demo stopped: \(failure)") }
        return report.held ? .success : .failure
    }
}
