import Foundation
import TestSupport
import Testing

/// What a node makes of a directory that lacks something.
@Suite(.timeLimit(.minutes(2))) struct NodeFilesTests {
    private let folder: TemporaryDirectory
    private var mark: String { folder.path("start-anew") }

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// A node that starts with these losses says what is missing, and changes nothing.
    @Test(arguments: [
        Loss("the store", ["node.db", "node.db-wal"], says: "node.db is missing or empty", fix: "touch"),
        Loss("the store, but not its log", ["node.db"], says: "node.db is missing or empty", fix: "move it away first"),
        Loss(
            "the store's content", ["node.db-wal"], empty: "node.db", says: "node.db is missing or empty", fix: "touch"),
        Loss("the keys", ["node.key"], says: "node.key is missing", fix: "restore the keys"),
        Loss(
            "the keys, and the store but not its log", ["node.key", "node.db"], says: "node.key is missing",
            fix: "restore"),
    ])
    func whatIsLostIsNotTakenForFresh(loss: Loss) async throws {
        _ = try await start(killing: true)
        for name in loss.removed { try FileManager.default.removeItem(atPath: folder.path(name)) }
        if let name = loss.emptied { try folder.write("", to: name) }
        let before = try folder.names()
        let end = try await refusal()
        #expect(end.contains(loss.complaint) && end.contains(loss.fix), "\(end)")
        #expect(try folder.names() == before)
        if let name = loss.emptied { #expect(try folder.text(name).isEmpty) }
    }

    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let removed: [String]
        let emptied: String?
        let complaint: String
        let fix: String

        init(
            _ description: String, _ removed: [String], empty emptied: String? = nil, says complaint: String,
            fix: String
        ) {
            testDescription = description
            self.removed = removed
            self.emptied = emptied
            self.complaint = complaint
            self.fix = fix
        }
    }

    @Test func whoWantsAnEmptyStoreMakesTheMark() async throws {
        let peer = try await start(killing: false)
        #expect(!FileManager.default.fileExists(atPath: mark))
        for name in ["node.db", "node.db-wal"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
        _ = try await refusal()
        try folder.write("", to: "start-anew", mode: 0o644)
        #expect(try await start(killing: false) == peer)
        #expect(!FileManager.default.fileExists(atPath: mark))
        // Once, and not for ever.
        try FileManager.default.removeItem(atPath: folder.path("node.db"))
        _ = try await refusal()
    }

    /// What a first start leaves that was killed after each of its steps.
    @Test func aFirstStartThatWasInterruptedIsTakenUp() async throws {
        try folder.write("", to: "start-anew")
        let peer = try await start(killing: true)
        for store in [nil, ""] {
            for name in ["node.db", "node.db-wal"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
            if let store { try folder.write(store, to: "node.db") }
            try folder.write("", to: "start-anew")
            #expect(try await start(killing: true) == peer)
        }
        // Killed before the mark went: the store stays.
        try folder.write("", to: "start-anew")
        #expect(try await start(killing: true) == peer)
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func anotherNodesStoreIsRefused() async throws {
        let peer = try await start(killing: false)
        let other = try TemporaryDirectory()
        let otherPeer = try await Self.start(in: other.path, killing: false)
        #expect(peer != otherPeer)
        try FileManager.default.removeItem(atPath: folder.path("node.db"))
        try FileManager.default.copyItem(atPath: other.path("node.db"), toPath: folder.path("node.db"))
        let end = try await refusal()
        #expect(end.contains("belongs to the node \(otherPeer), and this is \(peer)"), "\(end)")
    }

    /// What somebody else prepared, or may change.
    @Test(arguments: ["folder", "spool", "node.key", "node.db"]) func whatOthersMayWriteIsRefused(what: String)
        async throws
    {
        _ = try await start(killing: false)
        let path = what == "folder" ? folder.path : folder.path(what)
        chmod(path, what == "folder" || what == "spool" ? 0o777 : 0o666)
        let end = try await refusal()
        #expect(end.contains("other users") && end.contains("run: chmod"), "\(end)")
    }

    @Test(arguments: ["node.key", "node.db", "node.db-wal"]) func linksAreNotFollowed(name: String) async throws {
        _ = try await start(killing: true)
        let elsewhere = try TemporaryDirectory()
        try FileManager.default.moveItem(atPath: folder.path(name), toPath: elsewhere.path("file"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(name), withDestinationPath: elsewhere.path("file"))
        let end = try await refusal()
        #expect(end.contains("\(name) is no regular file"), "\(end)")
    }

    /// A home may be behind a link.
    @Test func theWayToTheFolderMayHaveLinks() async throws {
        let link = folder.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let peer = try await Self.start(in: link, killing: false)
        #expect(try await start(killing: false) == peer)
    }

    @Test func keysThatAreDamagedAreRefused() async throws {
        _ = try await start(killing: false)
        try folder.write("", to: "node.key")
        let end = try await refusal()
        #expect(end.contains("node.key is damaged") && end.contains("restore"), "\(end)")
    }

    private func start(killing: Bool) async throws -> String {
        try await Self.start(in: folder.path, killing: killing)
    }

    /// Starts a node and ends it once it listens; gives its peer id.
    private static func start(in path: String, killing: Bool) async throws -> String {
        let node = try ToolProcess(["node", "--data-dir", path, "--listen", "yamux://127.0.0.1:0"])
        let lines = try await node.lines(2)
        let peer = try #require(lines.first { $0.hasPrefix("PEER ") }).dropFirst("PEER ".count)
        node.signal(killing ? SIGKILL : SIGTERM)
        await node.wait()
        return String(peer)
    }

    private func refusal() async throws -> String {
        let run = try await AnyProcess.run("node", "--data-dir", folder.path, "--listen", "yamux://127.0.0.1:0")
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        return run.errors
    }
}
