import FoundationEssentials

/// One line of the report: a path, what it is made of, and the ratio that has a budget.
struct Row: Encodable, Sendable {
    /// The path.
    let name: String
    /// The unit of the numbers: `µs`, `KiB`.
    let unit: String
    let median: Double
    let p95: Double
    /// What the path is compared with, in the same unit, and its name.
    let base: Double
    let baseName: String
    /// Path over base, from this run; for a rate, base over path.
    let ratio: Double
    /// The most that ``ratio`` may be, `nil` for any; for a row with an absolute budget, the base is that budget and this
    /// is 1.
    let budget: Double?
    /// Whether the budget is one to come: shown, and nothing that a run fails for.
    var isGoal = false

    var isWithinBudget: Bool { budget.map { ratio <= $0 } ?? true }

    init(
        name: String, unit: String = "µs", median: Double, p95: Double, base: Double, baseName: String,
        ratio: Double? = nil, budget: Double?
    ) {
        self.name = name
        self.unit = unit
        self.median = median
        self.p95 = p95
        self.base = base
        self.baseName = baseName
        self.ratio = ratio ?? median / base
        self.budget = budget
    }

    /// A row of a rate that must reach a goal: the ratio is the goal over the path, so that 1 is the most here too.
    init(name: String, unit: String, rate: Sample, goal: Double?) {
        self.init(
            name: name, unit: unit, median: rate.median, p95: rate.percentile(0.05), base: goal ?? rate.median,
            baseName: goal == nil ? "itself" : "goal", ratio: (goal ?? rate.median) / rate.median,
            budget: goal == nil ? nil : 1
        )
        isGoal = true
    }

    /// A row from two samples of nanoseconds.
    init(name: String, _ path: Sample, over base: Double, _ baseName: String, budget: Double?) {
        self.init(
            name: name, median: path.median / 1000, p95: path.p95 / 1000, base: base / 1000, baseName: baseName,
            budget: budget
        )
    }
}

/// The whole report.
struct Report: Encodable, Sendable {
    private(set) var rows: [Row] = []

    mutating func add(_ row: Row) {
        rows.append(row)
    }

    var isWithinBudget: Bool { rows.allSatisfy { $0.isGoal || $0.isWithinBudget } }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var table: String {
        var lines = [["path", "median", "p95", "base", "ratio", "budget", ""]]
        for row in rows {
            lines.append([
                row.name, "\(format(row.median)) \(row.unit)", "\(format(row.p95)) \(row.unit)",
                "\(format(row.base)) \(row.unit) (\(row.baseName))", format(row.ratio),
                row.budget.map(format) ?? "-", verdict(row),
            ])
        }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private func verdict(_ row: Row) -> String {
        if row.budget == nil { return "" }
        if row.isGoal { return row.isWithinBudget ? "reached" : "goal" }
        return row.isWithinBudget ? "ok" : "over"
    }

    private func format(_ value: Double) -> String {
        let scaled = (value * 100).rounded()
        guard scaled.isFinite, abs(scaled) < 1e15 else { return "-" }
        let whole = Int(scaled)
        let cents = abs(whole % 100)
        return "\(whole / 100).\(cents < 10 ? "0" : "")\(cents)"
    }
}
