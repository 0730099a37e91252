import PushNode

/// The route that answers "why do I get no notifications?".
struct DoctorRoute {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    private static let stage = Schema.named("DoctorStage", .object([
        .required("name", .oneOf(DoctorStage.Name.allCases.map(\.rawValue))),
        .required("status", .oneOf(["ok", "warning", "fail"])),
        .required("checked", .boolean, "Whether it was looked at."),
        .required("message", .string(), "What was found."),
        .optional("fix", .string(), "What to do about it."),
        .required("details", .array(of: .object([.required("name", .string()), .required("value", .string())]))),
    ]))

    var route: Route {
        account.route(
            .get, "/v1/push/doctor",
            summary: "Looks at the whole way to the push node, for up to 20 seconds. Changes nothing.",
            responses: [.json(.ok, .named("DoctorReport", .object([
                .required("ok", .boolean, "Whether nothing failed."), .required("stages", .array(of: Self.stage)),
            ])))],
            handler: { _, session in
                let doctor = PushDoctor(session.push, facts: DoctorFacts.all(of: session.configuration))
                return .json(.object(Self.json(of: await doctor.examine())))
            })
    }

    private static func json(of report: DoctorReport) -> JSONObject {
        [
            "ok": .bool(report.isHealthy),
            "stages": .array(report.stages.map { stage in
                var object: JSONObject = [
                    "name": .string(stage.name.rawValue), "status": .string(stage.status.rawValue),
                    "checked": .bool(stage.isChecked), "message": .string(stage.message),
                ]
                object["fix"] = stage.fix.map { .string($0) }
                object["details"] = .array(
                    stage.details.map { ["name": .string($0.name), "value": .string($0.value)] })
                return .object(object)
            }),
        ]
    }
}
