import AnyServer

/// What the doctor found, as `GET /v1/push/doctor` says it.
struct DoctorReport {
    /// One thing that was looked at.
    struct Stage {
        let name: String
        let status: Status
        /// A sentence.
        let message: String
        /// What to do, `nil` when nothing is to be done.
        var fix: String?
        var details: JSONValue?
    }

    enum Status: String, CaseIterable {
        case ok
        case warning
        case fail
    }

    /// A stage that was not looked at.
    struct Unchecked {
        let name: String
        let reason: String
    }

    var stages: [Stage]
    var unchecked: [Unchecked] = []

    var isHealthy: Bool { !stages.contains { $0.status == .fail } }

    init(stages: [Stage]) {
        self.stages = stages
    }

    /// Reads the server's report.
    init(_ object: JSONObject) throws(CommandFailure) {
        guard let stages = object.array("stages") else { throw Self.malformed }
        self.stages = []
        for value in stages {
            guard
                let stage = value.object, let name = stage.string("name"), let message = stage.string("message"),
                let status = stage.string("status").flatMap(Status.init)
            else { throw Self.malformed }
            self.stages.append(
                Stage(
                    name: name, status: status, message: message, fix: stage.string("fix"), details: stage["details"]))
        }
        for value in object.array("notChecked") ?? [] {
            guard let entry = value.object, let name = entry.string("name"), let reason = entry.string("reason") else {
                throw Self.malformed
            }
            unchecked.append(Unchecked(name: name, reason: reason))
        }
    }

    /// The report as JSON.
    var value: JSONValue {
        var report: JSONObject = [
            "ok": .bool(isHealthy),
            "stages": .array(
                stages.map { stage in
                    var object: JSONObject = [
                        "name": .string(stage.name), "status": .string(stage.status.rawValue),
                        "message": .string(stage.message),
                    ]
                    object["fix"] = stage.fix.map { .string($0) }
                    object["details"] = stage.details
                    return .object(object)
                }),
        ]
        if !unchecked.isEmpty {
            report["notChecked"] = .array(unchecked.map { ["name": .string($0.name), "reason": .string($0.reason)] })
        }
        return .object(report)
    }

    private static let malformed = CommandFailure(
        "the server's report cannot be read; are the server and this tool of one version?", code: .environment)
}
