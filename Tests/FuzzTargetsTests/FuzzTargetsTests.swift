import FuzzTargets
import TestSupport
import Testing

/// Runs every target over its seeds and near misses of them, so that a finding of yesterday stays found.
@Suite struct FuzzTargetsTests {
    /// The most near misses of one target, spread over all of its seeds: a handshake costs as much as thousands of frames.
    private static let neighbours = 240

    @Test(arguments: FuzzTarget.all.map(\.name))
    func seedsAndTheirNeighboursAreStood(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try target.seedInputs(from: Repository.vectors).filter { $0.count < 4096 }
        #expect(!seeds.isEmpty)
        target.run([])
        for seed in seeds { target.run(seed) }
        let misses = seeds.flatMap { seed in (1...4).map { (seed, $0) } }
        let stride = max(1, misses.count / Self.neighbours)
        // Of every seed some step, and not of every one the same.
        for (index, (seed, step)) in misses.enumerated() where (index / 4 + index) % stride == 0 {
            target.run(Array(seed.prefix(seed.count * step / 5)))
            guard !seed.isEmpty else { continue }
            var flipped = seed
            flipped[seed.count * step / 5] ^= UInt8(1 << (index % 8))
            target.run(flipped)
        }
    }
}
