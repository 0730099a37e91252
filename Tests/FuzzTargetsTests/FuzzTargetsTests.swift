import FuzzTargets
import TestSupport
import Testing

/// Runs every target over its seeds and near misses of them, so that a finding of yesterday stays found.
@Suite struct FuzzTargetsTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func seedsAndTheirNeighboursAreStood(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try target.seedInputs(from: Repository.vectors)
        #expect(!seeds.isEmpty)
        target.run([])
        for seed in seeds where seed.count < 4096 {
            target.run(seed)
            for step in 1...8 {
                target.run(Array(seed.prefix(seed.count * step / 9)))
                guard !seed.isEmpty else { continue }
                var flipped = seed
                flipped[seed.count * step / 9] ^= UInt8(1 << (step % 8))
                target.run(flipped)
            }
        }
    }
}
