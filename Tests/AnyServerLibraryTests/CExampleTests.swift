import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Compiles the C example against the built library and runs it.
struct CExampleTests {
    @Test(.timeLimit(.minutes(5)))
    func `A C program starts the server several times and stops it`() async throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("example")
        let folder = try ToolProcess.productsFolder()
        let root = Repository.root.path
        var words = try await Self.sanitized
        words += [
            "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", "\(root)/Sources/CAnyServer", "\(root)/Examples/c/main.c",
            "-L", folder, "-lanyserver", "-Wl,-rpath,\(folder)", "-o", program,
        ]
        let compiler = try await ToolProcess(program: Self.compiler, words, keepsErrors: true).end()
        #expect(compiler.errors == "" && compiler.status == 0, Comment(rawValue: compiler.errors))
        guard compiler.status == 0 else { return }

        let run = try await ToolProcess(program: program, [directory.path("data")], keepsErrors: true).end()
        #expect(run.status == 0, Comment(rawValue: run.errors))
        let lines = run.output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("listening: 127.0.0.1:") } == 3)
        #expect(lines.count { $0.hasPrefix("health: {\"status\":\"ok\"") } == 3)
        #expect(lines.last == "bad data directory: -2")
    }

    private static let sanitizer: String? =
        if dlsym(nil, "__asan_init") != nil { "address" } else if dlsym(nil, "__tsan_init") != nil { "thread" } else {
            nil
        }

    /// A library that a sanitizer watches needs a program that it watches. The default linker complains then, and the
    /// thread sanitizer of Swift knows libdispatch.
    private static var sanitized: [String] {
        get async throws {
            guard let sanitizer else { return [] }
            let words = ["-fsanitize=\(sanitizer)", "-fuse-ld=lld"]
            guard sanitizer == "thread" else { return words }
            // LIB/clang/VERSION, beside LIB/swift.
            let resources = try await ToolProcess(program: compiler, ["-print-resource-dir"]).end().output
            let folder = resources.split(separator: "\n").joined() + "/../../swift/linux"
            return words + ["-L", folder, "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(folder)"]
        }
    }

    // Swift's own clang: a sanitizer's runtime has to be of the same version on both sides.
    private static let compiler = "clang"
}
