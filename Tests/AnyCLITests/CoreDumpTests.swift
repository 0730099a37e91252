import Foundation
import Glibc
import TestSupport
import Testing

/// What a core dump of the tool would hold, and whether there can be one.
@Suite(.timeLimit(.minutes(2))) struct CoreDumpTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func aNodeAllowsNoCoreDump() async throws {
        let node = try await start(environment: [:])
        let limits = try String(contentsOfFile: "/proc/\(node.identifier)/limits", encoding: .utf8)
        let limit = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(limit.dropFirst("Max core file size".count).split(separator: " ") == ["0", "0", "bytes"])
        // The files in /proc of a process that may not be dumped are root's; that shows to users only.
        if geteuid() != 0 { #expect(try owner(of: "/proc/\(node.identifier)/environ") == 0) }
        node.signal(SIGTERM)
        await node.wait()
    }

    @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
    func anotherUsersNodeIsNotDumpableEither() async throws {
        // A copy that the user may read, in a folder of its own.
        let tool = folder.path("any")
        // By a process of its own: a descriptor of ours that writes the copy could be another test's child's too, and a program
        // that somebody may write is not run.
        let copy = try ToolProcess(program: "cp", [try ToolProcess.productsFolder() + "/any", tool])
        #expect(await copy.wait() == 0)
        chmod(folder.path, 0o755)
        chmod(tool, 0o755)
        let data = try TemporaryDirectory()
        chown(data.path, 65_534, 65_534)
        for (words, expected) in [([], 0), (["ANY_ALLOW_CORE_DUMPS=1"], 65_534)] as [([String], UInt32)] {
            let node = try ToolProcess(
                program: "/usr/bin/env",
                words + [
                    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tool, "node", "--data-dir",
                    data.path, "--listen", "yamux://127.0.0.1:0",
                ])
            _ = try await node.lines(2)
            #expect(try owner(of: "/proc/\(node.identifier)/environ") == expected)
            node.signal(SIGTERM)
            await node.wait()
        }
    }

    /// With core dumps allowed, a core has none of the keys.
    @Test func theKeysOfANodeAreInMemoryThatNoCoreDumpHolds() async throws {
        let node = try await start(environment: ["ANY_ALLOW_CORE_DUMPS": "1"])
        let lines = try folder.text("node.key").split(separator: "\n")
        try #require(lines.count == 2)
        for line in lines {
            // A marshalled key: its type, a length, the seed, the public half.
            let text = Array(line.utf8)
            let key = stride(from: 0, to: text.count, by: 2).compactMap {
                UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            try #require(key.count == 68)
            let seed = Array(key[4..<36])
            guard let all = MemoryScan.occurrences(of: seed, in: node.identifier) else { continue }
            #expect(all >= 1)
            #expect(MemoryScan.occurrences(of: seed, in: node.identifier, where: { !$0.contains("dd") }) == 0)
            // Nor the text that it was read from.
            #expect(MemoryScan.occurrences(of: Array(text[8..<72]), in: node.identifier) == 0)
        }
        node.signal(SIGTERM)
        await node.wait()
    }

    private func start(environment: [String: String]) async throws -> ToolProcess {
        let node = try ToolProcess(
            ["node", "--data-dir", folder.path, "--listen", "yamux://127.0.0.1:0"], environment: environment)
        _ = try await node.lines(2)
        return node
    }

    private func owner(of path: String) throws -> UInt32 {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_uid
    }
}
