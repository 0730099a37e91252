import AnyServer

/// `any push doctor`: why there are no notifications.
enum PushDoctorCommand {
    static let command = Command(
        name: "doctor", abstract: "Find out why there are no notifications",
        discussion: """
            Looks at each stage between this account and its phone: the configuration, the way to the push node, the token,
            the keys and topics of each space, what is muted, and what is left in the queue. Changes nothing. Ends with 0
            only when no stage failed, with 3 when the server cannot be reached. To see a notification arrive: any push test.
            """,
        options: [.json], asksServer: true
    ) { values in
        let examination = try examine(try ServerConnection(values))
        let report = examination.report
        if values.flag(.json) {
            Console.show(report.value)
        } else {
            Console.out(DoctorPage(report: report, hasColor: Console.hasColor(), isLong: values.flag(.verbose)).text)
        }
        return examination.code
    }

    private static func examine(
        _ connection: ServerConnection
    ) throws(CommandFailure) -> (report: DoctorReport, code: ExitCode) {
        do throws(CommandFailure) {
            let reply = try connection.send(ServerRequest(.get, "/v1/push/doctor"))
            // A managed server waits for its account.
            guard reply.errorCode != "auth.required" else {
                throw CommandFailure(reply.refusal.message + "\nlog in with `any auth login`", code: reply.refusal.code)
            }
            var report = try DoctorReport(try reply.object())
            report.stages.insert(
                DoctorReport.Stage(
                    name: "server", status: .ok, message: "The server at \(connection.address) answers."),
                at: 0)
            return (report, report.isHealthy ? .success : .failure)
        } catch {
            // That the server does not answer is an answer here. The second line of a failure says what to do.
            let lines = error.message.split(separator: "\n", maxSplits: 1).map(String.init)
            let stage = DoctorReport.Stage(
                name: "server", status: .fail, message: lines[0],
                fix: lines.count > 1 ? lines[1] : "look at the server's log, and at `any status`")
            return (DoctorReport(stages: [stage]), error.code)
        }
    }
}
