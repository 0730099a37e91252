import AnyServer

/// The doctor's report for people: a line for each stage, and below it what to do.
struct DoctorPage {
    let report: DoctorReport
    let hasColor: Bool
    /// Whether the details of stages that are well are shown too.
    let isLong: Bool

    var text: String {
        let width = report.stages.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for stage in report.stages {
            lines.append(Self.lines(of: stage, nameWidth: width, hasColor: hasColor))
            if isLong || stage.status != .ok { lines += details(stage) }
        }
        return (lines + unchecked + ["", summary]).joined(separator: "\n")
    }

    /// A stage with what to do.
    static func lines(of stage: DoctorReport.Stage, nameWidth: Int, hasColor: Bool) -> String {
        let name = Console.printable(stage.name)
        let padding = String(repeating: " ", count: max(nameWidth - stage.name.count, 0))
        let line = "\(label(stage.status, hasColor))  \(name)\(padding)  \(Console.printable(stage.message))"
        return stage.fix.map { line + "\n         fix: " + Console.printable($0) } ?? line
    }

    private static func label(_ status: DoctorReport.Status, _ hasColor: Bool) -> String {
        let (word, color) =
            switch status {
            case .ok: ("ok     ", 32)
            case .warning: ("warning", 33)
            case .fail: ("fail   ", 31)
            }
        return hasColor ? "\u{1B}[\(color)m\(word)\u{1B}[0m" : word
    }

    private func details(_ stage: DoctorReport.Stage) -> [String] {
        (stage.details?.object?.fields ?? []).flatMap { field in
            // What is said more than once about one thing is a list.
            (field.value.array ?? [field.value]).map { value in
                let text = value.string ?? String(decoding: JSONWriter.bytes(value), as: UTF8.self)
                return "         \(Console.printable(field.name)): \(Console.printable(text))"
            }
        }
    }

    /// A line for each reason.
    private var unchecked: [String] {
        var reasons: [String] = []
        for entry in report.unchecked where !reasons.contains(entry.reason) { reasons.append(entry.reason) }
        return reasons.map { reason in
            let names = report.unchecked.filter { $0.reason == reason }.map { Console.printable($0.name) }
            return "not checked, because \(Console.printable(reason)): \(names.joined(separator: ", "))"
        }
    }

    private var summary: String {
        let counts = DoctorReport.Status.allCases.map { status in
            let count = report.stages.count { $0.status == status }
            return switch status {
            case .ok: "\(count) ok"
            case .warning: count == 1 ? "1 warning" : "\(count) warnings"
            case .fail: "\(count) failed"
            }
        }
        return counts.joined(separator: ", ")
    }
}
