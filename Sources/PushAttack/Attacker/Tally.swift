import FoundationEssentials
import Locks

/// What an attacker has got so far.
final class Tally: Sendable {
    private let counts = SystemLock<[String: Int]>([:])

    func add(_ name: String, _ count: Int = 1) {
        counts.withLock { $0[name, default: 0] += count }
    }

    subscript(name: String) -> Int { counts.withLock { $0[name, default: 0] } }

    var all: [String: Int] { counts.withLock { $0 } }
}
