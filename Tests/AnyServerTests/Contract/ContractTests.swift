import ContractSupport
import FoundationEssentials
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnyServer

/// Replays `Tests/Contract/*.json`: what an existing client of `any` asks, and what it expects to be answered.
@Suite struct ContractTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/Contract").path

    private static let cases: [ContractFile.Case] = ((try? ContractFile.all(in: folder)) ?? []).flatMap(\.cases)

    @Test func theFilesCanBeRead() throws {
        let files = try ContractFile.all(in: Self.folder)
        #expect(!files.isEmpty && files.allSatisfy { !$0.cases.isEmpty })
    }

    /// Every route has a file of its own, whose subject it is.
    @Test func everyRouteHasItsFile() async throws {
        try await withAnyServer { live in
            let document = try await live.request("GET", "/v1/openapi.json").json?.object
            var routes: Set<String> = []
            for path in try #require(document?.object("paths")).fields {
                for method in path.value.object?.fields ?? [] {
                    routes.insert("\(method.name.uppercased()) \(Self.withoutNames(path.name))")
                }
            }
            let subjects = try ContractFile.all(in: Self.folder).map(\.subject).filter { $0 != "every route" }
            #expect(Set(subjects).count == subjects.count)
            #expect(Set(subjects.map(Self.withoutNames)) == routes)
        }
    }

    /// A path whose parameters have no names: documents write `{id}` and files `:id`.
    private static func withoutNames(_ path: String) -> String {
        path.replacing(/\{[^}]*\}|:[a-z]+/, with: ":")
    }

    @Test(arguments: cases)
    func aClientIsAnsweredAsItExpects(_ golden: ContractFile.Case) async throws {
        var exchange = try await ContractExchange(golden)
        var problem: (any Error)?
        do { try await exchange.run() } catch { problem = error }
        await exchange.stop()
        if let problem { throw problem }
    }
}

/// One case while it is replayed.
private struct ContractExchange {
    private let golden: ContractFile.Case
    private let folder: TemporaryDirectory
    private var pattern = ContractPattern()
    private var servers: [String: AnyServer] = [:]
    private var streams: [String: RawClient] = [:]

    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    init(_ golden: ContractFile.Case) async throws {
        self.golden = golden
        folder = try TemporaryDirectory()
        let keys = try AccountKeys(phrase: WalletTests.phrase, deviceKey: SigningKey())
        pattern.known = [
            "phrase": .string(WalletTests.phrase), "phraseAccount": .string(keys.accountId),
            "stranger": .string(SigningKey().publicKey.accountAddress),
        ]
        try await start("server", golden.server)
    }

    /// Starts a server. `{account}` is the account of the first one, `{peer}` that of the other.
    private mutating func start(_ name: String, _ kind: String) async throws {
        let root = folder.path(name)
        if kind == "standalone" || kind == "push" { _ = try Wallet.create(in: DataRoot(path: root), passkey: nil) }
        let server = try await AnyServer.start(
            try LiveServer.options(
                in: root, mode: kind == "managed" ? .managed : .standalone,
                push: kind == "push" ? LiveServer.unreachableNode : nil))
        servers[name] = server
        if let id = server.accountId { pattern.known[name == "server" ? "account" : name] = .string(id) }
        if let token = server.controlToken { pattern.known["controlToken"] = .string(token.text) }
    }

    func stop() async {
        for client in streams.values { client.close() }
        for server in servers.values { await server.stop(graceful: false) }
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
        let name = step.string("at") ?? "server"
        if servers[name] == nil { try await start(name, "standalone") }
        if step["restart"] != nil { return try await restart(name) }
        if step["events"] != nil { return try await expectEvents(step) }
        let words = (step.string("request") ?? step.string("open") ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, let server = servers[name] else { throw Unexpected(description: "no request") }
        let text = TestServer.text(
            String(words[0]), pattern.filled(String(words[1])), headers: headers(step), body: body(step))
        let client = try RawClient(try ListenAddress(server.address))
        await client.send(text)
        if step["open"] != nil {
            streams[step.string("as") ?? "stream"] = client
            return try check(try await event(client), ["event": "ready", "data": [:]])
        }
        defer { client.close() }
        try expect(try await client.response(), step)
    }

    private mutating func restart(_ name: String) async throws {
        await servers[name]?.stop(graceful: true)
        servers[name] = try await AnyServer.start(try LiveServer.options(in: folder.path(name)))
    }

    private func headers(_ step: JSONObject) -> [String] {
        if let headers = step.object("headers") {
            return headers.fields.map { "\($0.name): \(pattern.filled($0.value).string ?? "")" }
        }
        guard let token = pattern.known["controlToken"]?.string else { return [] }
        return ["\(ControlToken.header): \(token)"]
    }

    private func body(_ step: JSONObject) -> String? {
        if let raw = step.string("raw") { return pattern.filled(raw) }
        guard let body = step["body"] else { return nil }
        return String(decoding: JSONWriter.bytes(pattern.filled(body)), as: UTF8.self)
    }

    private mutating func expect(_ response: RawResponse, _ step: JSONObject) throws {
        let status = step.integer("status") ?? 200
        guard response.status == status else {
            throw Unexpected(description: "status \(response.status), expected \(status): \(response.text.prefix(600))")
        }
        if let code = step.string("code") {
            var error: JSONObject = ["code": .string(code), "message": step["message"] ?? "<text>"]
            error["details"] = step["details"] ?? response.errorDetails.map { _ in "<any>" }
            try check(response.json, ["error": .object(error)])
        } else if let answer = step["answer"] {
            try check(response.json, answer)
        } else if status == 204, !response.body.isEmpty {
            throw Unexpected(description: "a body came with 204")
        }
    }

    private mutating func check(_ found: JSONValue?, _ expected: JSONValue) throws {
        if let problem = pattern.problem(with: found, expected: expected) { throw Unexpected(description: problem) }
    }

    /// Events in order. With `until`, those before the first that fits are passed over: what several changes make may come
    /// in one frame or in several.
    private mutating func expectEvents(_ step: JSONObject) async throws {
        guard let client = streams[step.string("of") ?? "stream"] else { throw Unexpected(description: "no stream") }
        for expected in step.array("events") ?? [] {
            while true {
                let found = try await event(client)
                let problem = pattern.problem(with: found, expected: expected)
                if problem == nil { break }
                guard step["until"] == true, found.object?.string("event") == "changes" else {
                    throw Unexpected(description: "\(problem ?? "")")
                }
            }
        }
    }

    private func event(_ client: RawClient) async throws -> JSONValue {
        let bytes = try await client.receive { bytes, _ in bytes.eventFrame != nil }
        guard let (from, to) = bytes.eventFrame else { throw Unexpected(description: "the stream ended") }
        client.drop(to + 2)
        let lines = String(decoding: bytes[from..<to], as: UTF8.self).split(separator: "\n")
        let name = String(lines[0].dropFirst("event: ".count))
        let data = try JSONParser.parse(Array(lines[1].dropFirst("data: ".count).utf8))
        return ["event": .string(name), "data": data]
    }
}

extension [UInt8] {
    /// Where the first whole event stands.
    fileprivate var eventFrame: (from: Int, to: Int)? {
        guard let from = position(of: Array("event: ".utf8)), let to = position(of: Array("\n\n".utf8), from: from)
        else {
            return nil
        }
        return (from, to)
    }
}
