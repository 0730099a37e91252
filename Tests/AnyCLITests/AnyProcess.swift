import Foundation

/// The built tool, run as its user would.
struct AnyProcess {
    let status: Int32
    let output: String
    let errors: String

    static func run(_ words: String...) async throws -> AnyProcess {
        try await run(words)
    }

    static func run(_ words: [String]) async throws -> AnyProcess {
        let process = Process()
        // The tool is built beside the tests.
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("any")
        process.arguments = words
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return AnyProcess(status: status, output: text(output), errors: text(errors))
    }

    private static func text(_ pipe: Pipe) -> String {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
