/// `any demo`: the whole story once, for people to read and to check itself.
enum DemoCommand {
    static let command = Command(
        name: "demo", abstract: "Run the whole story once: two servers, a push node and a phone",
        discussion: """
            Starts two servers and a push node as processes of their own on loopback, in a directory that is removed
            afterwards. Everything is real: the accounts, the space, the HTTP requests, the connections, what the node stores
            and what the phone opens. Ends with 0 only if every step held.
            """,
        options: [.json, brief],
        run: { values in try run(asJSON: values.flag(.json), isBrief: values.flag(brief)) }
    )

    private static let brief = Command.Option(
        name: "brief", help: "Leave out the node's outage, after which the next try comes 10 s later.")

    private static func run(asJSON: Bool, isBrief: Bool) throws -> ExitCode {
        let report = DemoReport(asJSON: asJSON)
        let clock = ContinuousClock()
        let start = clock.now
        let directory = try TemporaryDirectory()
        var failure: (any Error)?
        do {
            try DemoStory.tell(report, directory: directory.path, isBrief: isBrief)
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
