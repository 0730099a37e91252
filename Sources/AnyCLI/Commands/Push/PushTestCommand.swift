import AnyServer
import AnySyncWire
import Glibc

/// `any push test`: whether a notification reaches this account's devices.
enum PushTestCommand {
    static let command = Command(
        name: "test", abstract: "Send a test notification to this account's devices",
        discussion: """
            Says what happened at each step: the token, the topics, the node, and what the phone's provider said, for which
            it waits a few seconds. The node and the phone take it for a message that mentions this account, by a sender
            "Push test". Only nodes of this software tell what the provider said. Ends with 0 when no step failed, with 1
            when one did, with 3 when the server cannot be reached.
            """,
        options: [space, wait, .json], asksServer: true
    ) { values in
        let wait = try patience(values)
        let connection = try ServerConnection(values)
        return try PushTestRun(connection, isJSON: values.flag(.json)).run(in: values.option(space), patience: wait)
    }

    private static let space = Command.Option(
        name: "space", value: "space", help: "Send it in this space; otherwise in the first that is not muted.")
    private static let wait = Command.Option(
        name: "wait", value: "duration",
        help: "How long to wait for what the provider says; 10s by default, 0s for not at all.")

    private static func patience(_ values: Values) throws(CommandFailure) -> Duration {
        let text = values.option(wait) ?? "10s"
        guard let duration = DurationText.parse(text), duration >= .zero, duration <= .seconds(3600) else {
            throw CommandFailure("option --wait: \"\(text)\" is no duration, such as 10s or 1m, of at most 1h")
        }
        return duration
    }
}

/// One run of the command.
private struct PushTestRun {
    private let connection: ServerConnection
    private let isJSON: Bool

    init(_ connection: ServerConnection, isJSON: Bool) {
        self.connection = connection
        self.isJSON = isJSON
    }

    func run(in space: String?, patience: Duration) throws(CommandFailure) -> ExitCode {
        progress("sending a test notification …")
        var body = JSONObject()
        body["space"] = space.map { .string($0) }
        let answer = try connection.send(ServerRequest(.post, "/v1/push/test", body: body)).object()
        var report = try DoctorReport(answer)
        show(report.stages)
        if answer.bool("sent") == true {
            let last = try provider(after: answer.integer("lastOutcome"), patience: patience)
            show([last])
            report.stages.append(last)
        }
        if isJSON { Console.show(report.value) }
        return report.isHealthy ? .success : .failure
    }

    /// What the provider said, as the last step.
    private func provider(after number: Int?, patience: Duration) throws(CommandFailure) -> DoctorReport.Stage {
        func stage(_ status: DoctorReport.Status, _ message: String, fix: String? = nil) -> DoctorReport.Stage {
            DoctorReport.Stage(name: "provider", status: status, message: message, fix: fix)
        }
        guard let number else {
            return stage(.ok, "This node does not say what the provider does; look at the phone.")
        }
        let interrupted = stage(.warning, "Not waited for: the test was interrupted after the node took it.")
        progress("waiting for what the phone's provider says …")
        // Until here an interrupt ends the command; from here on it ends the wait, and what is known is said.
        let interrupt = Interrupt().descriptor
        let deadline = ContinuousClock.now + patience
        var last: JSONObject?
        while true {
            let reply = try connection.send(ServerRequest(.get, "/v1/push/outcomes"), interrupt: interrupt)
            guard let answer = try reply?.object() else { return interrupted }
            let outcomes = (answer.array("outcomes") ?? []).compactMap(\.object)
            last = outcomes.last { ($0.integer("number") ?? 0) > number } ?? last
            // One that is tried again may still come through.
            if let outcome = last?.string("outcome"), outcome == "delivered" || outcome == "token_gone" { break }
            let rest = min(deadline - ContinuousClock.now, .milliseconds(300))
            guard rest > .zero else { break }
            guard !isReadable(interrupt, within: rest) else { return interrupted }
        }
        guard let last, let message = last.string("message"),
            let status = last.string("status").flatMap(DoctorReport.Status.init)
        else {
            return stage(
                .warning, "Within \(patience.inWords), the node brought nothing to a phone that is registered here.",
                fix: "any push token status says whether one is; other devices of the account may have got it.")
        }
        return stage(status, message.prefix(1).uppercased() + message.dropFirst() + ".", fix: last.string("fix"))
    }

    private func isReadable(_ descriptor: Int32, within time: Duration) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, Int32(max(time / .milliseconds(1), 1))) > 0
    }

    private func show(_ stages: [DoctorReport.Stage]) {
        guard !isJSON else { return }
        for stage in stages { Console.out(DoctorPage.lines(of: stage, nameWidth: 8, hasColor: Console.hasColor())) }
    }

    // For people who watch; a file or a pipe gets what counts.
    private func progress(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { Console.note(text) }
    }
}
