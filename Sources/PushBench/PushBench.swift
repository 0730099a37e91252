import Glibc
import LineOutput

/// Measures the paths that have a budget against what they are made of, in one run.
@main
enum PushBench {
    private static let help = """
        OVERVIEW: Measure the paths that have a budget

        Prints, for each path, the median and 95th percentile, the ratio to the primitives it is made of (measured in the
        same run), its budget and whether it is kept, or the goal that it is yet to reach. Ends with 0 when every budget is
        kept, else with 1.

        USAGE: push-bench [--json] [--throughput]

        OPTIONS:
          --json                  Print one JSON object instead of a table.
          --throughput            Measure only how many Notify a node answers, which wants two cores for itself.
          -h, --help              Show help information.
        """

    static func main() async {
        StandardStreams.occupy()
        let words = Set(CommandLine.arguments.dropFirst())
        if !words.isDisjoint(with: ["-h", "--help"]) {
            show(help)
            return
        }
        if CommandLine.arguments.dropFirst().first == RemoteNode.word {
            do { try await RemoteNode.serve(Array(CommandLine.arguments.dropFirst(2))) } catch {
                fail("\(error)", code: 2)
            }
            return
        }
        if CommandLine.arguments.dropFirst().first == IdlePath.holdWord {
            do { try await IdlePath.holdConnections(Array(CommandLine.arguments.dropFirst(2))) } catch {
                fail("\(error)", code: 2)
            }
            return
        }
        let options: Set = ["--json", "--throughput"]
        guard words.isSubset(of: options) else {
            fail("unknown option \(words.subtracting(options).sorted()[0]); see push-bench --help", code: 1)
        }
        do {
            var report = Report()
            if !words.contains("--throughput") {
                try await SenderPath.run(&report)
                try await NodePath.run(&report)
                try await ACLPath.run(&report)
                try await RoundTripPath.run(&report)
                try await TransportPath.run(&report)
                try await IdlePath.run(&report)
                try await FanOutPath.run(&report)
            }
            try await ThroughputPath.run(&report)
            show(words.contains("--json") ? try report.json : report.table)
            exit(report.isWithinBudget ? 0 : 1)
        } catch {
            fail("\(error)", code: 2)
        }
    }

    private static func show(_ text: String) {
        guard let code = SystemOutput.write(Array((text + "\n").utf8), to: STDOUT_FILENO).error else { return }
        fail("cannot write standard output: \(String(cString: strerror(code)))", code: 2)
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        let line = Array("push-bench: \(message)\n".utf8)
        _ = SystemOutput.write(line, to: STDERR_FILENO)
        exit(code)
    }
}
