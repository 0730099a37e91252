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
            let name = Console.printable(stage.name)
            let padding = String(repeating: " ", count: width - stage.name.count)
            lines.append("\(label(stage.status))  \(name)\(padding)  \(Console.printable(stage.message))")
            if let fix = stage.fix { lines.append("         fix: " + Console.printable(fix)) }
            if isLong || stage.status != .ok { lines += details(stage) }
        }
        return (lines + ["", summary]).joined(separator: "\n")
    }

    private func label(_ status: DoctorReport.Status) -> String {
        let (word, color) =
            switch status {
            case .ok: ("ok     ", 32)
            case .warning: ("warning", 33)
            case .fail: ("fail   ", 31)
            }
        return hasColor ? "\u{1B}[\(color)m\(word)\u{1B}[0m" : word
    }

    private func details(_ stage: DoctorReport.Stage) -> [String] {
        (stage.details?.object?.fields ?? []).map { field in
            let text = field.value.string ?? String(decoding: JSONWriter.bytes(field.value), as: UTF8.self)
            return "         \(Console.printable(field.name)): \(Console.printable(text))"
        }
    }

    private var summary: String {
        let counts = DoctorReport.Status.allCases.map { status in
            "\(report.stages.count { $0.status == status }) \(status == .fail ? "failed" : status.rawValue)"
        }
        return counts.joined(separator: ", ")
    }
}
