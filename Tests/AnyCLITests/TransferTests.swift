import Foundation
import Locks
import TestSupport
import Testing

/// Spaces as files.
@Suite(.serialized) struct TransferTests {
    @Test func anExportIsAllPagesAsLines() async throws {
        try await withScriptedServer({ request in
            switch request.target {
            case "/v1/spaces/s/export":
                .response(200, #"{"lines":[{"kind":"space","id":"s"},{"kind":"acl","n":1}],"next":"p/2"}"#)
            case "/v1/spaces/s/export?cursor=p%2F2": .response(200, #"{"lines":[{"kind":"change"}]}"#)
            default: .error(404, "request.not_found", "no")
            }
        }) { server in
            let run = try await server.run("space", "export", "s")
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(
                run.output == "{\"kind\":\"space\",\"id\":\"s\"}\n{\"kind\":\"acl\",\"n\":1}\n{\"kind\":\"change\"}\n")
        }
    }

    @Test func pagesWithoutAnEndAreGivenUp() async throws {
        try await withScriptedServer({ _ in .response(200, #"{"lines":[],"next":"again"}"#) }) { server in
            let run = try await server.run("space", "export", "s")
            #expect(run.status == 2)
            #expect(run.errors == "any: the server's pages do not end\n")
            #expect(server.requests.count == 2)
        }
    }

    private struct Batch: Decodable {
        struct Line: Decodable {
            let kind: String
            let n: Int?
        }

        let lines: [Line]
    }

    @Test func anImportComesInBatchesThatBeginWithTheSpace() async throws {
        let folder = try TemporaryDirectory()
        // More lines than one batch takes, and some that fill one alone.
        let small = (0..<2500).map { #"{"kind":"acl","n":\#($0)}"# }
        let large = (2500..<2503).map {
            #"{"kind":"change","n":\#($0),"x":"\#(String(repeating: "x", count: 600_000))"}"#
        }
        let text = ([#"{"kind":"space","id":"s"}"#] + small + large).joined(separator: "\n")
        let path = try folder.write(text, to: "space.jsonl")
        try await withScriptedServer({ _ in .response(200, #"{"spaceId":"s","records":2,"changes":3}"#) }) { server in
            let run = try await server.run("space", "import", path)
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(run.output == "{\n  \"spaceId\": \"s\",\n  \"records\": 8,\n  \"changes\": 12\n}\n")
            let batches = try server.requests.map { try JSONDecoder().decode(Batch.self, from: Data($0.body.utf8)) }
            #expect(batches.count == 4)
            #expect(batches.allSatisfy { $0.lines.first?.kind == "space" && $0.lines.count <= 2001 })
            #expect(server.requests.allSatisfy { $0.target == "/v1/spaces/import" && $0.body.utf8.count < 1 << 20 })
            #expect(batches.flatMap { $0.lines.compactMap(\.n) } == Array(0..<2503))
        }
    }

    @Test func severalSpacesInOneFileAreImportedEach() async throws {
        let text = "{\"kind\":\"space\",\"id\":\"a\"}\n{\"kind\":\"acl\"}\r\n\n{\"kind\":\"space\",\"id\":\"b\"}\n"
        try await withScriptedServer({ request in
            .response(
                200,
                request.body.contains("\"a\"")
                    ? #"{"spaceId":"a","records":1,"changes":0}"# : #"{"spaceId":"b","records":0,"changes":0}"#)
        }) { server in
            let run = try await server.run(["space", "import", "-"], input: text)
            #expect(run.status == 0)
            #expect(run.output.contains("\"spaceId\": \"a\"") && run.output.contains("\"spaceId\": \"b\""))
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [
        ("", "standard input is empty; there is nothing to import"),
        ("{\"kind\":\"acl\"}\n", "standard input is no export: its first line is not that of a space"),
        ("{\"kind\":\"space\"}\n{\n", "standard input: line 2 is no line of an export"),
        ("{\"kind\":\"space\"}\n[1]\n", "standard input: line 2 is no line of an export"),
    ])
    func whatIsNoExportIsNotSent(text: String, message: String) async throws {
        try await withScriptedServer({ _ in .response(200, "{}") }) { server in
            let run = try await server.run(["space", "import", "-"], input: text)
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors == "any: \(message)\n")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func aLineThatIsTooLongIsSaid() async throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("{\"kind\":\"space\"}\n" + String(repeating: "x", count: 1 << 20), to: "long.jsonl")
        try await withScriptedServer({ _ in .response(200, "{}") }) { server in
            let run = try await server.run("space", "import", path)
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("any: \(path): line 2 is longer than "))
        }
    }

    @Test func aRefusalEndsTheImport() async throws {
        try await withScriptedServer({ _ in .error(409, "space.fork", "the logs part at 3: a and b") }) { server in
            let run = try await server.run(["space", "import", "-"], input: "{\"kind\":\"space\"}\n")
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors == "any: Conflict: the logs part at 3: a and b (space.fork)\n")
        }
    }
}
