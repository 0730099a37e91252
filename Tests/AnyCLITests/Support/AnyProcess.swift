import TestSupport

/// A run of the built tool, as its user would see it.
struct AnyProcess {
    let status: Int32
    let output: String
    let errors: String
    /// The processor time that it took.
    let time: Duration

    private static let turnstile = Turnstile(2)

    static func run(_ words: String...) async throws -> AnyProcess {
        try await run(words)
    }

    /// - Parameters:
    ///   - environment: its variables. Nothing of ours, or tests would depend on the account of who runs them.
    ///   - input: what it reads from standard input.
    static func run(
        _ words: [String], environment: [String: String] = ["HOME": "/nonexistent"], input: String? = nil
    ) async throws -> AnyProcess {
        await turnstile.enter()
        let process: ToolProcess
        do {
            process = try ToolProcess(
                words, keepsErrors: true, environment: environment, input: input.map { Array($0.utf8) })
        } catch {
            await turnstile.leave()
            throw error
        }
        let end = await process.end()
        await turnstile.leave()
        return AnyProcess(status: end.status, output: end.output, errors: end.errors, time: process.processorTime)
    }
}
