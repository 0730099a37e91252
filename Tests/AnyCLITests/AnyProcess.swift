import TestSupport

/// A run of the built tool, as its user would see it.
struct AnyProcess {
    let status: Int32
    let output: String
    let errors: String

    static func run(_ words: String...) async throws -> AnyProcess {
        try await run(words)
    }

    static func run(_ words: [String]) async throws -> AnyProcess {
        let end = try await ToolProcess(words, keepsErrors: true).end()
        return AnyProcess(status: end.status, output: end.output, errors: end.errors)
    }
}
