import Glibc
import Locks
import SecretFiles
import TestSupport

/// Where a test keeps keys: a folder that does not exist before a cache makes it.
struct KeyDirectory {
    private let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("keys")
    }

    /// The names of the keys' files, and of what was left beside them.
    var names: [String] { ((try? folder.names(in: "keys")) ?? []).filter { $0 != "spaces" } }

    /// The names of the files of all filings, by their paths below the folder of keys.
    var filings: [String] {
        let spaces = (try? folder.names(in: "keys/spaces")) ?? []
        return spaces.flatMap { space in
            ((try? folder.names(in: "keys/spaces/\(space)")) ?? []).map { "spaces/\(space)/\($0)" }
        }.sorted()
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws { try folder.write(text, to: "keys/\(name)") }

    func text(of name: String) throws -> String { try folder.text("keys/\(name)") }

    func permissions(of name: String = ".") -> UInt32? { folder.mode("keys/\(name)") }
}

/// Fails at a chosen step, or lets the process "die" there: nothing works after it.
final class Faults: Sendable {
    private struct State {
        var step: FileStep?
        var dies = false
        var isDead = false
        var hooks: [FileStep: @Sendable () throws -> Void] = [:]
    }

    static let code = ENOSPC

    private let state = SystemLock(State())

    /// Fails at `step`, and for good when it `dies` there.
    init(_ step: FileStep? = nil, dies: Bool = false) {
        fail(at: step, dies: dies)
    }

    func fail(at step: FileStep?, dies: Bool = false) {
        state.withLock {
            $0.step = step
            $0.dies = dies
        }
    }

    /// Does something just before a step, once.
    func before(_ step: FileStep, _ hook: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.hooks[step] = hook }
    }

    /// What a cache asks at each step.
    var fault: SecretFile.Fault {
        { step in
            try? self.state.withLock { $0.hooks.removeValue(forKey: step) }?()
            return self.state.withLock { state in
                guard step == state.step || state.isDead else { return nil }
                state.isDead = state.dies
                return Self.code
            }
        }
    }
}
