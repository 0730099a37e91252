import Foundation
import TestSupport
import Testing

/// The tool with a home of its own, where an account is and may be served.
struct RealServer {
    private let home: TemporaryDirectory
    private var variables: [String: String] { ["HOME": home.path] }

    init() async throws {
        home = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: home.path(".any"), withIntermediateDirectories: false)
        let made = try await self(["init"])
        #expect(made.status == 0, "\(made.errors)")
    }

    /// A server without push: nothing of a test reaches a node of others.
    static func withoutPush(_ test: (RealServer) async throws -> Void) async throws {
        let any = try await RealServer()
        try await any.serve(push: "{ enabled: false }") { try await test(any) }
    }

    /// A path in the home.
    func path(_ name: String) -> String { home.path(name) }

    func callAsFunction(_ words: [String], _ input: String? = nil) async throws -> AnyProcess {
        try await AnyProcess.run(words, environment: variables, input: input)
    }

    /// Runs a command that has nothing to say.
    func quietly(_ words: [String]) async throws {
        let run = try await self(words)
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(words): \(run.errors)")
    }

    /// Runs the server while something is tested.
    ///
    /// - Parameters:
    ///   - push: what the configuration has for `push`.
    ///   - more: further lines of the configuration.
    func serve(
        push: String, more: String = "", address: String = "127.0.0.1:0", _ test: () async throws -> Void
    ) async throws {
        try home.write("push: \(push)\n\(more)\n", to: ".any/config.yaml")
        let server = try ToolProcess(["run", "--addr", address], keepsErrors: true, environment: variables)
        _ = try await server.line(after: "LISTENING ")
        try await test()
        let stop = try await self(["stop"])
        #expect(stop.status == 0 && stop.errors.isEmpty)
        #expect(await server.wait() == 0)
    }
}
