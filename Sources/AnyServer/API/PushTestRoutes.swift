import PushAPI
import PushNode

/// The routes that try push: a test notification, and what became of the last ones.
struct PushTestRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [test, outcomes] }

    private static let statuses = ["ok", "warning", "fail"]

    private static let report = Schema.named(
        "PushTestReport",
        .object([
            .required("ok", .boolean, "Whether no step failed."),
            .required("sent", .boolean, "Whether the node has taken the notification."),
            .required(
                "stages",
                .array(
                    of: .object([
                        .required("name", .oneOf(PushTest.StepName.allCases.map(\.rawValue))),
                        .required("status", .oneOf(statuses)),
                        .required("message", .string()), .optional("fix", .string(), "What to do."),
                    ]))),
            .optional(
                "lastOutcome", .integer(),
                "What becomes of the test has a higher number among the outcomes. Absent when the node does not tell."),
        ]))

    private var test: Route {
        account.route(
            .post, "/v1/push/test",
            summary:
                "Sends a test notification to this account's devices, under an account made for this once; up to 40 s.",
            body: .named("PushTest", .object([.optional("space", .string(isEmptyAbsent: true), "Where to send it.")])),
            responses: [.json(.ok, Self.report)], errors: [.pushDisabled],
            handler: { request, session in
                let space = request.text("space")
                let report = try await session.pushing { () throws(PushAccountError) in
                    try await PushTest(session.push).run(in: space)
                }
                try Task.checkCancellation()
                var object: JSONObject = [
                    "ok": .bool(report.isHealthy), "sent": .bool(report.isSent),
                    "stages": .array(report.steps.map { Self.json(of: $0, session.paths) }),
                ]
                object["lastOutcome"] = report.lastOutcome.map { .integer(Int64(clamping: $0)) }
                return .json(.object(object))
            })
    }

    private static func json(of step: PushTest.Step, _ paths: PathShortener) -> JSONValue {
        var object: JSONObject = [
            "name": .string(step.name.rawValue), "status": .string(step.status.rawValue),
            "message": .string(paths.shorten(step.message)),
        ]
        object["fix"] = step.fix.map { .string($0) }
        return .object(object)
    }

    private static let outcome = Schema.named(
        "PushOutcome",
        .object([
            .required("number", .integer(), "Counts this device's notifications since the node began to note."),
            .required("secondsAgo", .integer()), .optional("platform", .string()), .required("provider", .string()),
            .required(
                "outcome", .string(),
                "delivered, token_gone, payload_refused, provider_unavailable, provider_disk_full, misconfigured, or unknown."
            ),
            .required("tries", .integer()), .required("status", .oneOf(statuses)), .required("message", .string()),
            .optional("fix", .string(), "What to do."),
        ]))

    private var outcomes: Route {
        account.route(
            .get, "/v1/push/outcomes",
            summary: "What became of the last notifications to this device's phone. Only nodes of this software tell.",
            responses: [
                .json(
                    .ok,
                    .object([
                        .required("known", .boolean, "Whether the node tells."),
                        .optional("notingSeconds", .integer(), "How long the node has been noting."),
                        .required("outcomes", .array(of: Self.outcome), "Oldest first."),
                    ]))
            ],
            errors: [.pushDisabled],
            handler: { _, session in
                let told = try await session.pushing { () throws(PushAccountError) in try await session.push.outcomes()
                }
                guard let told else { return .json(["known": false, "outcomes": .array([])]) }
                return .json([
                    "known": true, "notingSeconds": .integer(told.noting.components.seconds),
                    "outcomes": .array(told.outcomes.map(Self.json)),
                ])
            })
    }

    private static func json(of outcome: PushOutcomes.Outcome) -> JSONValue {
        let verdict = outcome.verdict
        var object: JSONObject = [
            "number": .integer(Int64(clamping: outcome.number)), "secondsAgo": .integer(outcome.age.components.seconds),
            "provider": .string(outcome.provider), "outcome": .string(outcome.outcome.name ?? "unknown"),
            "tries": .integer(Int64(clamping: outcome.tries)), "status": .string(verdict.status.rawValue),
            "message": .string(verdict.message),
        ]
        object["platform"] = outcome.platform.name.map { .string($0) }
        object["fix"] = verdict.fix.map { .string($0) }
        return .object(object)
    }
}
