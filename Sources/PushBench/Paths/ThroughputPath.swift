import AnySyncNet
import PushCrypto
import PushNode

/// How many Notify a node answers, each stored on disk and brought to a subscriber: the node is a process of its own, this
/// one is the sender.
///
/// The cases take turns, so that load from elsewhere meets all of them alike.
enum ThroughputPath {
    private static let rounds = 8
    private static let callsPerRound = 400
    /// The most that a call may take at 8 at once, in the slowest hundredth, in milliseconds.
    private static let slowestMilliseconds = 2.5
    /// What an idle node may hold in memory.
    private static let idleMebibytes = 16.0

    private struct Case {
        let kind: ConnectionKind
        let atOnce: Int
        var topics = 1
        /// The fewest Notify in a second; what it asks of a machine with two cores that does nothing else.
        let goal: Double?

        var name: String {
            "Notify, \(atOnce) at once, \(kind)" + (topics > 1 ? ", \(topics) topics" : "")
        }
    }

    private static let cases = [
        Case(kind: .yamux, atOnce: 1, goal: 3200),
        Case(kind: .yamux, atOnce: 8, goal: 9000),
        Case(kind: .yamux, atOnce: 64, goal: nil),
        Case(kind: .tlsYamux, atOnce: 8, goal: 9000),
        Case(kind: .quic, atOnce: 8, goal: 7500),
        Case(kind: .yamux, atOnce: 8, topics: 100, goal: 5000),
    ]

    private struct Samples {
        /// Notify in a second, by round.
        var rate = Sample()
        /// One call, in nanoseconds.
        var latency = Sample()
        /// Processor time for each Notify, in nanoseconds.
        var sender = Sample()
        var node = Sample()
        /// How often a thread of the node was put off its core, for each Notify.
        var switches = Sample()
        /// The share of two cores that both processes used.
        var share = Sample()
    }

    static func run(_ report: inout Report) async throws {
        var nodes: [ConnectionKind: RemoteNode] = [:]
        defer { for node in nodes.values { node.end() } }
        var idle = Sample()
        for kind in BenchTransports.kinds {
            let node = try RemoteNode(kind)
            idle.add(try node.meter.residentBytes() / 1_048_576)
            nodes[kind] = node
        }
        var links: [ThroughputLink] = []
        for one in cases {
            guard let node = nodes[one.kind] else { continue }
            links.append(try await ThroughputLink(node, topics: one.topics))
        }
        var samples = cases.map { _ in Samples() }
        // The first round fills caches and is not counted.
        for round in 0...rounds {
            for (index, link) in links.enumerated() {
                var measured = samples[index]
                try await measure(link, cases[index].atOnce, into: &measured)
                if round > 0 { samples[index] = measured }
            }
        }
        for link in links { await link.stop() }
        for (one, sample) in zip(cases, samples) { add(one, sample, to: &report) }
        var memory = Row(
            name: "idle node before any connection", unit: "MiB", median: idle.median, p95: idle.p95,
            base: idleMebibytes, baseName: "goal", budget: 1
        )
        memory.isGoal = true
        report.add(memory)
    }

    private static func measure(_ link: ThroughputLink, _ atOnce: Int, into samples: inout Samples) async throws {
        let (node, sender) = (try link.node.meter.reading(), Meter.cpuTime())
        let start = Meter.wallTime()
        let latencies = try await link.notify(atOnce == 1 ? callsPerRound / 4 : callsPerRound, atOnce: atOnce)
        let wall = Meter.wallTime() - start
        let nodeEnd = try link.node.meter.reading()
        let count = Double(latencies.count)
        let (senderTime, nodeTime) = (Meter.cpuTime() - sender, nodeEnd.cpuTime - node.cpuTime)
        for latency in latencies { samples.latency.add(latency) }
        samples.rate.add(count / wall * 1e9)
        samples.sender.add(senderTime / count)
        samples.node.add(nodeTime / count)
        samples.switches.add(Double(nodeEnd.switches - node.switches) / count)
        samples.share.add((senderTime + nodeTime) / wall / 2 * 100)
    }

    private static func add(_ one: Case, _ samples: Samples, to report: inout Report) {
        report.add(Row(name: one.name, unit: "calls/s", rate: samples.rate, goal: one.goal))
        let slowest = samples.latency.percentile(0.99) / 1e6
        var call = Row(
            name: "\(one.name), a call (p50, p99)", unit: "ms", median: samples.latency.median / 1e6, p95: slowest,
            base: slowestMilliseconds, baseName: "p99", ratio: slowest / slowestMilliseconds,
            budget: one.atOnce == 8 && one.topics == 1 ? 1 : nil
        )
        call.isGoal = true
        report.add(call)
        report.add(
            Row(
                name: "\(one.name), CPU of the node", samples.node, over: samples.sender.median, "the sender's",
                budget: nil
            )
        )
        report.add(
            Row(
                name: "\(one.name), switches on the node", unit: "", median: samples.switches.median,
                p95: samples.switches.p95, base: 1, baseName: "Notify", budget: nil
            )
        )
        report.add(
            Row(
                name: "\(one.name), share of two cores", unit: "%", median: samples.share.median,
                p95: samples.share.p95,
                base: 100, baseName: "all", budget: nil
            )
        )
    }
}
