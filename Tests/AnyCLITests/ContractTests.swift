import AnyServer
import ContractSupport
import Foundation
import TestSupport
import Testing

/// Replays `Tests/Contract/CLI/*.json`: what an existing user of `any` types, and what comes of it.
@Suite(.serialized) struct CommandContractTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/Contract/CLI").path

    private static let cases: [ContractFile.Case] = ((try? ContractFile.all(in: folder)) ?? []).flatMap(\.cases)

    @Test func theFilesCanBeRead() throws {
        let files = try ContractFile.all(in: Self.folder)
        #expect(!files.isEmpty && files.allSatisfy { !$0.cases.isEmpty })
    }

    @Test(arguments: cases)
    func aUserSeesWhatIsExpected(_ golden: ContractFile.Case) async throws {
        var session = try await ContractSession(golden)
        try await session.run()
    }
}

/// One case while it is replayed, in a home of its own.
private struct ContractSession {
    private let golden: ContractFile.Case
    private let home: TemporaryDirectory
    private var pattern = ContractPattern()
    private var server: ToolProcess?

    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private var variables: [String: String] {
        var variables = ["HOME": home.path]
        // A managed server's host and its commands share the token.
        if golden.server == "managed" { variables["ANY_CONTROL_TOKEN"] = "a-token-of-the-host" }
        return variables
    }

    init(_ golden: ContractFile.Case) async throws {
        self.golden = golden
        home = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: home.path(".any"), withIntermediateDirectories: false)
        try home.write(
            "push: { enabled: false }\nlisten: { addr: \"127.0.0.1:\(RefusedPort.tcp)\" }\n", to: ".any/config.yaml")
        pattern.known = [
            "phrase":
                "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            "home": .string(home.path),
        ]
        if golden.server == "standalone" { try await begin(["init"]) }
        guard golden.server != "none" else { return }
        let more = golden.server == "managed" ? ["--mode", "managed"] : []
        let server = try ToolProcess(
            ["run", "--addr", "127.0.0.1:0"] + more, keepsErrors: true, environment: variables)
        self.server = server
        pattern.known["address"] = .string(try await server.line(after: "LISTENING "))
    }

    private func begin(_ words: [String]) async throws {
        let run = try await AnyProcess.run(words, environment: variables)
        guard run.status == 0 else { throw Unexpected(description: "\(words): \(run.errors)") }
    }

    mutating func run() async throws {
        for (number, step) in golden.steps.enumerated() {
            do {
                try await perform(step)
            } catch {
                throw Unexpected(description: "\(golden), step \(number + 1): \(error)")
            }
        }
    }

    private mutating func perform(_ step: JSONObject) async throws {
        let words = (step.array("run") ?? step.array("follow") ?? []).compactMap(\.string).map { pattern.filled($0) }
        if step["follow"] != nil { return try await follow(words, step) }
        let run = try await AnyProcess.run(
            words, environment: variables, input: step.string("stdin").map { pattern.filled($0) })
        let exit = step.integer("exit") ?? 0
        guard run.status == Int32(exit) else {
            throw Unexpected(description: "status \(run.status), expected \(exit): \(run.output)\(run.errors)")
        }
        try expect(run.errors, step.string("stderr") ?? "", "stderr")
        if let json = step["json"] {
            try check(try JSONParser.parse(Array(run.output.utf8)), json)
        } else {
            try expect(run.output, step.string("stdout") ?? "", "stdout")
        }
    }

    /// A command that goes on until it is interrupted, or ends by itself.
    private mutating func follow(_ words: [String], _ step: JSONObject) async throws {
        let process = try ToolProcess(words, keepsErrors: true, environment: variables)
        let wanted = step.array("lines") ?? []
        let lines = try await process.lines(wanted.count)
        for (line, expected) in zip(lines, wanted) { try check(try JSONParser.parse(Array(line.utf8)), expected) }
        process.signal(SIGINT)
        let status = await process.wait()
        guard status == 0 else { throw Unexpected(description: "status \(status) when interrupted") }
    }

    private mutating func expect(_ found: String, _ wanted: String, _ name: String) throws {
        guard pattern.matches(found, wanted) else {
            throw Unexpected(description: "\(name): \(found.debugDescription), expected \(wanted.debugDescription)")
        }
    }

    private mutating func check(_ found: JSONValue, _ expected: JSONValue) throws {
        if let problem = pattern.problem(with: found, expected: expected) { throw Unexpected(description: problem) }
    }
}
