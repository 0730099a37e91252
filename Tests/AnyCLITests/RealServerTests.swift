import Foundation
import Testing

/// Commands against the server that the tool itself runs.
@Suite(.serialized) struct RealServerTests {
    private struct Made: Decodable {
        let id: String?
        let recordIds: [String]?
    }

    private struct Messages: Decodable {
        struct Record: Decodable {
            let id: String
            let text: String
            let reactions: [String: [String: [String: String]]]?
        }

        let records: [Record]
    }

    @Test func aDayOfASpace() async throws {
        try await RealServer.withoutPush { any in
            let space = try #require(try decode(Made.self, try await any(["space", "create", "--name", "Team"])).id)
            try await any.quietly(["space", "settings", space, "--set", "notifyMode=none", "--set-num", "rank=1.5"])
            let settings = try await any(["space", "get", space]).output
            #expect(settings.contains("\"notifyMode\": \"none\"") && settings.contains("\"rank\": 1.5"))
            let sent = try await any(["chat", "send", space, "general", "--text", "Hello"])
            let message = try #require(try decode(Made.self, sent).recordIds?.first)
            for words in [
                ["chat", "notify", space, "general", "mentions"], ["chat", "notify", space, "general", "default"],
                ["chat", "react", space, "general", message, "👍"],
                ["chat", "edit", space, "general", message, "--text", "Hi there"],
            ] {
                let run = try await any(words)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            }
            for words in [
                ["chat", "read", space, "general", message], ["chat", "read-all", space, "general"],
                ["chat", "read-reactions", space, "general", message], ["space", "rotate", space],
                ["profile", "set", "--name", "Al"], ["space", "update", space, "--description", "Ours"],
            ] { try await any.quietly(words) }
            let records = try decode(Messages.self, try await any(["chat", "list", space, "general"])).records
            #expect(records.map(\.id) == [message] && records.map(\.text) == ["Hi there"])
            #expect(records.first?.reactions?["👍"]?.count == 1)
            let export = try await any(["space", "export", space])
            #expect(export.output.hasPrefix("{\"kind\":\"space\"") && !export.output.contains("Hi there"))
            let again = try await any(["space", "import", "-"], export.output)
            #expect(again.output.contains("\"records\": 0") && again.output.contains("\"changes\": 0"))
            try await any.quietly(["space", "delete", space, "--yes"])
            let deleted = try await any(["space", "list", "--status", "deleted"])
            #expect(deleted.output.contains(space))
        }
    }

    @Test func aServerOfTestsHasNoNodeOfOthers() async throws {
        // Push as it is with nothing said of it, which elsewhere is the production network's node.
        let any = try await RealServer()
        try await any.serve(push: "{}") {
            let doctor = try await any(["push", "doctor", "--json"])
            #expect(doctor.status == 1 && doctor.output.contains("Push is off"), "\(doctor.output)")
            #expect(!doctor.output.contains("anytype"))
        }
    }

    @Test func pushThatIsOffIsSaidByEachCommand() async throws {
        try await RealServer.withoutPush { any in
            let status = try await any(["push", "token", "status"])
            #expect(status.status == 1)
            #expect(status.errors.hasPrefix("any: Conflict: push notifications are not configured on this server "))
            let doctor = try await any(["push", "doctor"])
            #expect(doctor.status == 1 && doctor.errors.isEmpty)
            #expect(doctor.output.contains("\nfail     configuration  "))
            let page = try await any(["push", "status"])
            #expect(page.status == 0 && page.output.contains("\"enabled\": false"))
        }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ run: AnyProcess) throws -> Value {
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return try JSONDecoder().decode(type, from: Data(run.output.utf8))
    }
}

/// The server that only its owner may use, as its owner uses it.
@Suite(.timeLimit(.minutes(5))) struct OwnerOnlyServerTests {
    @Test func aSocketAndATokenAreFoundByTheOwnersCommands() async throws {
        let any = try await RealServer()
        let token = any.path("token")
        try await any.serve(
            push: "{ enabled: false }", more: "listen: { tokenFile: \(token) }", address: "unix:\(any.path("any.sock"))"
        ) {
            let status = try await any(["status"])
            #expect(status.status == 0 && status.output.contains("\"status\": \"ok\""), "\(status.errors)")
            let spaces = try await any(["space", "list"])
            #expect(spaces.status == 0, "\(spaces.errors)")
            // Another user has neither the configuration nor the file.
            let stranger = try await AnyProcess.run(
                ["--addr", "unix:\(any.path("any.sock"))", "space", "list"], environment: ["HOME": any.path("nobody")])
            #expect(stranger.status == 1 && stranger.errors.contains("auth.token_required"), "\(stranger.errors)")
        }
    }
}
