import PushNode

/// The route that answers "why do I get no notifications?".
struct DoctorRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [examine] }

    private static let schema = Schema.named(
        "DoctorReport",
        .object([
            .required("ok", .boolean, "Whether nothing failed."),
            .required(
                "stages",
                .array(
                    of: .object([
                        .required("name", .string()), .required("status", .oneOf(["ok", "warning", "fail"])),
                        .required("message", .string()), .optional("fix", .string(), "What to do."),
                        .optional("details", .anyObject, "More to say, by what it is about."),
                    ]))),
            .optional(
                "notChecked", .array(of: .object([.required("name", .string()), .required("reason", .string())])),
                "What was not looked at, and what keeps it from being."),
        ]))

    private var examine: Route {
        account.route(
            .get, "/v1/push/doctor",
            summary: "Looks at each stage between the account and its phone; up to 20 s. Changes nothing.",
            responses: [.json(.ok, Self.schema)],
            handler: { _, session in
                let facts = DoctorFacts(session.configuration, network: session.network).all
                let report = await PushDoctor(session.push, facts: facts).examine()
                try Task.checkCancellation()
                var object: JSONObject = [
                    "ok": .bool(report.isHealthy),
                    "stages": .array(report.stages.map { Self.json(of: $0, session.paths) }),
                ]
                if !report.unchecked.isEmpty {
                    object["notChecked"] = .array(
                        report.unchecked.map { ["name": .string($0.name.rawValue), "reason": .string($0.reason)] })
                }
                return .json(.object(object))
            })
    }

    private static func json(of stage: DoctorStage, _ paths: PathShortener) -> JSONValue {
        var object: JSONObject = [
            "name": .string(stage.name.rawValue), "status": .string(stage.status.rawValue),
            "message": .string(paths.shorten(stage.message)),
        ]
        object["fix"] = stage.fix.map { .string(paths.shorten($0)) }
        if !stage.details.isEmpty { object["details"] = .object(details(of: stage, paths)) }
        return .object(object)
    }

    /// What is said more than once about one thing becomes a list.
    private static func details(of stage: DoctorStage, _ paths: PathShortener) -> JSONObject {
        var object = JSONObject()
        for detail in stage.details {
            let value = JSONValue.string(paths.shorten(detail.value))
            switch object[detail.name] {
            case nil: object[detail.name] = value
            case .array(let values)?: object[detail.name] = .array(values + [value])
            case let first?: object[detail.name] = [first, value]
            }
        }
        return object
    }
}
