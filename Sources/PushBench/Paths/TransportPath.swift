import AnySyncNet

/// The kinds of connection side by side: dial, round trip, throughput, and the CPU time of a call at both ends.
enum TransportPath {
    private static let rounds = 10
    private static let dialsPerRound = 5
    private static let callsPerRound = 800
    private static let concurrency = [1, 8, 64]
    /// What an ordinary client has under way.
    private static let ordinary = 8

    private struct Samples {
        var dial = Sample()
        /// By how many calls are made at once: wall time for each call.
        var wall: [Int: Sample] = [:]
        var cpu = Sample()
    }

    static func run(_ report: inout Report) async throws {
        var links: [BenchLink] = []
        for kind in BenchTransports.kinds { links.append(try await BenchLink(kind)) }
        var samples = links.map { _ in Samples() }
        // In turns, so that a change of the machine's pace meets all kinds alike; the first round is not counted.
        for round in 0...rounds {
            for (index, link) in links.enumerated() {
                var measured = samples[index]
                try await measure(link, into: &measured)
                if round > 0 { samples[index] = measured }
            }
        }
        for link in links { await link.stop() }
        for (kind, sample) in zip(BenchTransports.kinds, samples) { add(kind, sample, over: samples[0], to: &report) }
    }

    private static func measure(_ link: BenchLink, into samples: inout Samples) async throws {
        for _ in 0..<dialsPerRound { samples.dial.add(try await link.dial()) }
        for atOnce in concurrency {
            let (start, startCPU) = (Meter.wallTime(), Meter.cpuTime())
            try await link.call(callsPerRound, atOnce: atOnce)
            let calls = Double(callsPerRound / atOnce * atOnce)
            samples.wall[atOnce, default: Sample()].add((Meter.wallTime() - start) / calls)
            if atOnce == ordinary { samples.cpu.add((Meter.cpuTime() - startCPU) / calls) }
        }
    }

    private static func add(_ kind: ConnectionKind, _ samples: Samples, over first: Samples, to report: inout Report) {
        let firstName = BenchTransports.kinds[0].rawValue
        report.add(
            Row(
                name: "dial, \(kind)", unit: "ms", median: samples.dial.median / 1e6, p95: samples.dial.p95 / 1e6,
                base: BenchTransports.dialMilliseconds, baseName: "budget", budget: 1
            )
        )
        for atOnce in concurrency {
            guard let wall = samples.wall[atOnce], let base = first.wall[atOnce] else { continue }
            if atOnce == 1 {
                report.add(Row(name: "round trip, \(kind)", wall, over: base.median, firstName, budget: nil))
            }
            report.add(
                Row(
                    name: "throughput, \(atOnce) at once, \(kind)", unit: "calls/s", median: 1e9 / wall.median,
                    p95: 1e9 / wall.p95, base: 1e9 / base.median, baseName: firstName, budget: nil
                )
            )
        }
        report.add(
            Row(
                name: "CPU of a call, \(ordinary) at once, \(kind)", samples.cpu, over: first.cpu.median, firstName,
                budget: BenchTransports.callBudget(kind)
            )
        )
    }
}
