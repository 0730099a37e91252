import FoundationEssentials

/// The whole report.
struct Report: Encodable, Sendable {
    private(set) var rows: [Row] = []
    /// What a base counted at least, in milliseconds.
    let floor: Double

    init(floor: Double) {
        self.floor = floor
    }

    mutating func add(_ row: Row) {
        rows.append(row)
    }

    var holds: Bool { rows.allSatisfy(\.failures.isEmpty) }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var table: String {
        var lines = [
            [
                "attack", "over", "p50 ms", "p99 ms", "delivery p99 ms", "refused", "turned away", "memory MiB", "",
            ]
        ]
        for row in rows {
            let phases = [row.base, row.during, row.after]
            func each(_ value: (Row.Honest) -> Double) -> String {
                phases.map { Text.number(value($0)) }.joined(separator: " → ")
            }
            func share(_ parts: (Row.Honest) -> [String: Int], of whole: (Row.Honest) -> Int) -> String {
                let part = parts(row.during).values.reduce(0, +)
                return "\(part) of \(whole(row.during))"
            }
            lines.append([
                row.attack, row.transport, each(\.p50), each(\.p99), each(\.lagP99), share(\.refused, of: \.calls),
                share(\.turnedAway, of: \.newcomers),
                [row.memory.before, row.memory.peak, row.memory.after].map(Text.number).joined(separator: " → "),
                row.failures.isEmpty ? "holds" : "DOES NOT HOLD",
            ])
        }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let table = lines.map { line in
            zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        let reasons = rows.filter { !$0.failures.isEmpty }.map {
            "\($0.attack) over \($0.transport): \($0.failures.joined(separator: "; "))"
        }
        let note = """
            Times and memory: before → during → after the attack (memory: before → most → after). A base of the 99th
            percentile counts \(Text.number(floor)) ms at least; scripts/attack --help says what holding means.
            """
        return (table + [""] + reasons + (reasons.isEmpty ? [] : [""]) + [note]).joined(separator: "\n")
    }
}

enum Text {
    /// One digit after the point.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return value >= 100 ? "\(Int(value.rounded()))" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
