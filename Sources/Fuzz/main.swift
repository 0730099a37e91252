import CFuzzer
import FoundationEssentials
import FuzzTargets
import Glibc

// Fuzzes the target that the environment chooses: `ANYPUSH_FUZZ_TARGET`, or `list` for their names. With
// `ANYPUSH_FUZZ_SEEDS` its seeds are written to that directory, from the vectors in `ANYPUSH_FUZZ_VECTORS`, and nothing is run.

private let environment = ProcessInfo.processInfo.environment
private let name = environment["ANYPUSH_FUZZ_TARGET"] ?? ""

private func writeSeeds(of target: FuzzTarget, to folder: String) -> Int32 {
    do {
        let vectors = URL(fileURLWithPath: environment["ANYPUSH_FUZZ_VECTORS"] ?? "Tests/Vectors")
        for (index, seed) in try target.seedInputs(from: vectors).enumerated() {
            try Data(seed).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
        }
        return 0
    } catch {
        print("cannot write the seeds: \(error)")
        return 1
    }
}

guard let index = FuzzTarget.all.firstIndex(where: { $0.name == name }) else {
    for target in FuzzTarget.all { print(target.name) }
    exit(name == "list" ? 0 : 1)
}
if let folder = environment["ANYPUSH_FUZZ_SEEDS"] {
    exit(writeSeeds(of: FuzzTarget.all[index], to: folder))
}

/// The target under test; libFuzzer's callback carries no context of ours.
private let chosen = FuzzTarget.all[index]

var count = CommandLine.argc
var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &words) { start, count in
        chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
)
