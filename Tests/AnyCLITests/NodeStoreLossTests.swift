import Foundation
import Glibc
import TestSupport
import Testing

/// A node whose store is lost, between servers and a node that are processes of their own.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NodeStoreLossTests {
    @Test func aMessageArrivesAgainWithoutAnAppDoingAnything() async throws {
        let folder = try TemporaryDirectory()
        let spool = folder.path("node/spool/notifications.ndjson")
        let node = try await start(folder, at: "yamux://127.0.0.1:0")
        let push = "{ peerId: \(node.peer), addrs: [\"yamux://\(node.address)\"] }"
        let (alice, bob) = (try await RealServer(), try await RealServer())
        try await alice.serve(push: push) {
            try await bob.serve(push: push) {
                let account = try field("accountId", try await bob(["auth", "status"]))
                let space = try field("id", try await alice(["space", "create", "--name", "Team"]))
                let added = try await alice(["space", "members", "add", space, account])
                #expect(added.status == 0, "\(added.errors)")
                let taken = try await bob(
                    ["space", "import", "-"], try await alice(["space", "export", space]).output)
                #expect(taken.status == 0, "\(taken.errors)")
                try await bob.quietly(["push", "token", "set", "--platform", "android", "--token", "phone"])
                try await arrives("before", from: alice, in: space, spool)

                node.process.signal(SIGTERM)
                #expect(await node.process.wait() == 0)
                for name in try folder.names(in: "node") where name.hasPrefix("node.db") {
                    try FileManager.default.removeItem(atPath: folder.path("node/\(name)"))
                }
                try folder.write("", to: "node/start-anew")
                let again = try await start(folder, at: "yamux://\(node.address)")
                #expect(again.peer == node.peer)
                try await arrives("afterwards", from: alice, in: space, spool)
                again.process.signal(SIGTERM)
                #expect(await again.process.wait() == 0)
            }
        }
    }

    /// Sends messages until one arrives: what is sent before the node knows the phone again reaches nobody.
    private func arrives(_ text: String, from sender: RealServer, in space: String, _ spool: String) async throws {
        let before = lines(spool)
        try await eventually {
            let sent = try await sender(["chat", "send", space, "general", "--text", text])
            #expect(sent.status == 0, "\(sent.errors)")
            return lines(spool) > before
        }
    }

    private func lines(_ path: String) -> Int {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    private func field(_ name: String, _ run: AnyProcess) throws -> String {
        #expect(run.status == 0, "\(run.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return try #require(object?[name] as? String, "\(run.output)")
    }

    private func start(
        _ folder: TemporaryDirectory, at address: String
    ) async throws -> (process: ToolProcess, peer: String, address: String) {
        let process = try ToolProcess(["node", "--data-dir", folder.path("node"), "--listen", address])
        let lines = try await process.lines(2)
        func after(_ beginning: String) throws -> String {
            String(try #require(lines.first { $0.hasPrefix(beginning) }, "\(lines)").dropFirst(beginning.count))
        }
        return (process, try after("PEER "), try after("LISTENING "))
    }
}
