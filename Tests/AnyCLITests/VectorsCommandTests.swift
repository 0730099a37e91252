import Foundation
import TestSupport
import Testing

/// `any vectors replay` on directories of the user's own.
@Suite(.serialized) struct VectorsCommandTests {
    @Test func theProjectsOwnVectorsAllPass() async throws {
        let replay = try await AnyProcess.run("vectors", "replay", Repository.vectors.path)
        #expect(replay.status == 0 && replay.errors.isEmpty)
        let lines = replay.output.split(separator: "\n")
        #expect(lines.count == 18)
        #expect(lines.allSatisfy { $0.hasSuffix(" passed, 0 failed") })
        #expect(lines.last == "total: 676 passed, 0 failed")
    }

    @Test func aCaseThatFailsIsNamedAndEndsWithOne() async throws {
        let file = #"{"cases":[{"name":"odd one","path":"m","seed":"00","chainCode":"00","key":"00"}]}"#
        try await withDirectory(["slip21-more.json": file]) { path in
            let replay = try await AnyProcess.run("vectors", "replay", path)
            #expect(replay.status == 1)
            #expect(
                replay.output.hasPrefix(
                    "slip21-more: 0 passed, 1 failed\n  odd one: chainCode: expected 0x00, found 0x"))
            #expect(replay.output.hasSuffix("total: 0 passed, 1 failed\n"))
        }
    }

    @Test(arguments: ["{", #"{"cases":{}}"#, "[]"])
    func aFileThatIsNoVectorFileEndsWithTwo(content: String) async throws {
        try await withDirectory(["acl.json": content]) { path in
            let replay = try await AnyProcess.run("vectors", "replay", path)
            #expect(replay.status == 2)
            #expect(replay.errors.hasPrefix("any: acl.json: not a vector file: "))
        }
    }

    @Test func aFileThatNobodyCanReplayIsNotPassedOver() async throws {
        try await withDirectory(["novel.json": #"{"cases":[]}"#]) { path in
            let replay = try await AnyProcess.run("vectors", "replay", path)
            #expect(replay.status == 2)
            #expect(replay.errors.hasPrefix("any: novel.json: no replay for a vector file of this name"))
        }
    }

    @Test func aDirectoryWithoutFilesOrNoneAtAllEndsWithTwo() async throws {
        try await withDirectory([:]) { path in
            for path in [path, path + "/none"] {
                let replay = try await AnyProcess.run("vectors", "replay", path)
                #expect(replay.status == 2)
            }
        }
    }

    private func withDirectory(_ files: [String: String], _ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("anypush-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files { try Data(content.utf8).write(to: folder.appendingPathComponent(name)) }
        try await body(folder.path)
    }
}
