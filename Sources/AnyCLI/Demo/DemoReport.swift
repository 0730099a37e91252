import FoundationEssentials

/// What the demo has shown so far: a line for each fact as it becomes known, or one JSON object at the end.
final class DemoReport {
    private struct Step: Encodable {
        let title: String
        var facts: [Fact] = []
        var held = true
    }

    private struct Fact: Encodable {
        let name: String
        let value: String
        var held: Bool?
    }

    private let asJSON: Bool
    private var steps: [Step] = []
    private var hasStopped = false

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    /// Whether there were steps, all of them held, and the story came to its end.
    var held: Bool { !steps.isEmpty && !hasStopped && steps.allSatisfy(\.held) }

    /// Begins a step.
    func step(_ title: String) {
        steps.append(Step(title: title))
        if !asJSON { Console.out("\n\(steps.count). \(title)") }
    }

    /// Shows a fact.
    func fact(_ name: String, _ value: String) {
        add(Fact(name: name, value: value))
        if !asJSON { Console.out("   \(name): \(value)") }
    }

    /// Shows a fact that must hold for the step to have held.
    func check(_ name: String, _ held: Bool, _ value: String = "") {
        add(Fact(name: name, value: value, held: held))
        if !held, !steps.isEmpty { steps[steps.count - 1].held = false }
        if !asJSON { Console.out("   [\(held ? "ok" : "FAILED")] \(name)\(value.isEmpty ? "" : ": \(value)")") }
    }

    /// Notes that the story can not go on.
    func stop() {
        hasStopped = true
    }

    /// Ends the report.
    func finish(seconds: Double) throws {
        struct Whole: Encodable {
            let held: Bool
            let seconds: Double
            let steps: [Step]
        }
        let rounded = (seconds * 10).rounded() / 10
        guard asJSON else {
            let failed = steps.filter { !$0.held }.count
            let verdict = held ? "every step held" : hasStopped ? "STOPPED" : "\(failed) of \(steps.count) steps FAILED"
            Console.out("\n\(verdict), \(rounded) s")
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        Console.out(
            String(decoding: try encoder.encode(Whole(held: held, seconds: rounded, steps: steps)), as: UTF8.self))
    }

    private func add(_ fact: Fact) {
        if !steps.isEmpty { steps[steps.count - 1].facts.append(fact) }
    }
}
