import AnySyncNet
import Foundation
import Glibc
import Locks
import PushCrypto
import PushNode
import TestSupport
import Testing

@testable import AnyServer

/// The tool's server and node as processes that are killed and stopped: what was accepted arrives, once.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutboxProcessTests {
    @Test func killingTheServerUnderLoadLosesNothing() async throws {
        let node = try await NodeProcess()
        let audience = try await Audience(at: try node.location)
        let home = try await Home(node)
        var server = try await home.run()
        let first = try ServerClient(server.address)
        let space = try await audience.follow(newSpaceOf: first)
        first.close()
        var accepted: Set<String> = []
        for round in 0..<3 {
            accepted.formUnion(try await load(server, in: space, killAfter: [60, 5, 100][round]))
            #expect(await server.process.wait() == 128 + SIGKILL)
            server = try await home.run()
        }
        // The last server sends what the ones before it could not.
        let wanted = accepted
        try await eventually { wanted.isSubset(of: try await node.arrived(audience, in: space)) }
        let arrived = try await node.arrived(audience, in: space)
        #expect(accepted.count >= 165 && wanted.isSubset(of: arrived))
        #expect(Set(arrived).count == arrived.count, "none of them twice, for the same bytes are brought once")
        server.process.signal(SIGTERM)
        #expect(await server.process.wait() == 0)
        await audience.end()
        await node.end()
    }

    /// Nothing is lost by a stop while the node is away, which is said; the next start sends it, once the node is there.
    @Test func whatWaitsAtAStopArrivesOnceAfterTheStart() async throws {
        let node = try await NodeProcess()
        let audience = try await Audience(at: try node.location)
        let home = try await Home(node)
        var server = try await home.run()
        let client = try ServerClient(server.address)
        let space = try await audience.follow(newSpaceOf: client)
        await node.end()
        var accepted: [String] = []
        for number in 1...20 {
            accepted.append(try await client.send("\(number)", to: ChatId.general(of: space), in: space))
        }
        client.close()
        server.process.signal(SIGTERM)
        let end = await server.process.end()
        #expect(end.status == 0)
        let said = end.errors.split(separator: "\n").filter { $0.contains("20 notifications not sent yet, kept") }
        #expect(said.count == 1, "\(end.errors)")
        try await node.start()
        server = try await home.run()
        try await eventually { try await node.arrived(audience, in: space).count >= 20 }
        #expect(try await node.arrived(audience, in: space) == accepted)
        server.process.signal(SIGTERM)
        let second = await server.process.end()
        #expect(second.status == 0 && !second.errors.contains("not sent yet"), "\(second.errors)")
        await node.end()
        #expect(try await node.arrived(audience, in: space) == accepted)
        await audience.end()
    }

    /// Eight writers until the server is killed, once it has accepted so many messages.
    ///
    /// - Returns: what it accepted.
    private func load(_ server: Home.Server, in space: String, killAfter count: Int) async throws -> Set<String> {
        let accepted = SystemLock<Set<String>>([])
        let process = server.process
        let address = server.address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                let client = try ServerClient(address)
                group.addTask {
                    defer { client.close() }
                    for number in 0... {
                        // It ends when the server does.
                        guard
                            let id = try? await client.send(
                                "\(writer) \(number)", to: ChatId.general(of: space), in: space)
                        else { return }
                        let isEnough = accepted.withLock { accepted in
                            accepted.insert(id)
                            return accepted.count == count
                        }
                        if isEnough { process.signal(SIGKILL) }
                    }
                }
            }
            try await group.waitForAll()
        }
        return accepted.withLock { $0 }
    }

    /// A node that the tool runs, always at the same address.
    private final class NodeProcess: Sendable {
        private let folder: TemporaryDirectory
        private let running: SystemLock<ToolProcess>
        private let peer: String
        private let address: String

        init() async throws {
            folder = try TemporaryDirectory()
            let process = try Self.process(folder, "yamux://127.0.0.1:0")
            let lines = try await process.lines(2)
            func after(_ beginning: String) throws -> String {
                let line = try #require(lines.first { $0.hasPrefix(beginning) }, "\(lines)")
                return String(line.dropFirst(beginning.count))
            }
            peer = try after("PEER ")
            address = "yamux://127.0.0.1:" + (try after("LISTENING 127.0.0.1:"))
            running = SystemLock(process)
        }

        var configuration: String { "push: { peerId: \(peer), addrs: [\"\(address)\"] }\n" }

        var location: PushNodeLocation {
            get throws { PushNodeLocation(peerId: try PeerId(peer), addresses: [try Address(address)]) }
        }

        func start() async throws {
            let process = try Self.process(folder, address)
            _ = try await process.line(after: "LISTENING ")
            running.withLock { $0 = process }
        }

        func end() async {
            let process = running.withLock { $0 }
            process.signal(SIGTERM)
            await process.wait()
        }

        /// The messages that came to a phone, in order, repeats of a line left out.
        func arrived(_ audience: Audience, in space: String) async throws -> [String] {
            struct Line: Decodable {
                let id: Int64
                let data: [String: String]
            }
            let text = try folder.text("node/spool/notifications.ndjson")
            let lines = text.split(separator: "\n").compactMap {
                try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            var seen: Set<Int64> = []
            var ids: [String] = []
            for line in lines where seen.insert(line.id).inserted {
                let sealed = try #require(Data(base64Encoded: line.data["x-any-payload"] ?? ""))
                ids.append(try await audience.messageId(Array(sealed), in: space))
            }
            return ids
        }

        private static func process(_ folder: TemporaryDirectory, _ address: String) throws -> ToolProcess {
            try ToolProcess(["node", "--data-dir", folder.path("node"), "--listen", address])
        }
    }

    /// The home of an account that the tool serves.
    private struct Home {
        struct Server {
            let process: ToolProcess
            let address: String
        }

        private let folder: TemporaryDirectory

        init(_ node: NodeProcess) async throws {
            folder = try TemporaryDirectory()
            try FileManager.default.createDirectory(
                atPath: folder.path(".any"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try folder.write(Array(node.configuration.utf8), to: ".any/config.yaml")
            let made = try ToolProcess(["init"], keepsErrors: true, environment: ["HOME": folder.path])
            let end = await made.end()
            try #require(end.status == 0, "\(end.errors)")
        }

        func run() async throws -> Server {
            let process = try ToolProcess(
                ["run", "--addr", "127.0.0.1:0"], keepsErrors: true, environment: ["HOME": folder.path])
            return Server(process: process, address: try await process.line(after: "LISTENING "))
        }
    }
}
