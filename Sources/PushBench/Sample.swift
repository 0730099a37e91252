import Glibc

/// Times of one piece of work, each in nanoseconds for one operation.
struct Sample: Sendable {
    private var times: [Double] = []

    mutating func add(_ nanoseconds: Double) {
        times.append(nanoseconds)
    }

    var median: Double { percentile(0.5) }
    var p95: Double { percentile(0.95) }

    func percentile(_ share: Double) -> Double {
        guard !times.isEmpty else { return .nan }
        let sorted = times.sorted()
        return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }
}

/// What the machine counts.
enum Meter {
    /// Wall time, monotonic, in nanoseconds.
    static func wallTime() -> Double { read(CLOCK_MONOTONIC) }

    /// CPU time of all threads of this process, user and kernel, in nanoseconds.
    static func cpuTime() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Any clock, in nanoseconds.
    static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Keeps the optimiser from dropping a result that nobody reads.
@inline(never)
@_optimize(none)
func keep<T>(_ value: T) {
    withExtendedLifetime(value) {}
}

/// Measures several pieces of work in turns, so that a change of the machine's pace meets all of them alike.
///
/// - Parameters:
///   - rounds: how many times each piece is timed.
///   - batch: how many operations are timed together.
///   - work: the pieces.
/// - Returns: one sample for each piece.
func measure(rounds: Int, batch: Int, _ work: [() async throws -> Void]) async throws -> [Sample] {
    var samples = work.map { _ in Sample() }
    for round in 0..<rounds + 1 {
        for (index, operation) in work.enumerated() {
            let start = Meter.wallTime()
            for _ in 0..<batch { try await operation() }
            let time = (Meter.wallTime() - start) / Double(batch)
            // The first round warms caches and is not counted.
            if round > 0 { samples[index].add(time) }
        }
    }
    return samples
}
