import AnySyncNet
import CMalloc
import FoundationEssentials
import Glibc
import PushCrypto
import PushNode

/// The node's memory for a connection that nobody uses. The other ends live in a process of their own.
enum IdlePath {
    private static let connections = 400

    /// The word that makes this executable the other ends: address, peer id and count follow.
    static let holdWord = "--hold"

    static func run(_ report: inout Report) async throws {
        for kind in BenchTransports.kinds {
            let node = try await BenchNode(kind: kind)
            // What the first connections bring for all is no cost of one.
            _ = try await hold(node, count: 20)
            let before = residentBytes()
            let bytes = try await hold(node, count: connections) { residentBytes() - before }
            await node.stop()
            let each = bytes / Double(connections) / 1024
            report.add(
                Row(
                    name: "idle connection on the node, \(kind)", unit: "KiB", median: each, p95: each,
                    base: BenchTransports.idleKibibytes(kind), baseName: "budget", budget: 1
                )
            )
        }
    }

    /// Has another process open connections, looks, and lets them go.
    private static func hold(_ node: BenchNode, count: Int, _ look: () -> Double = { 0 }) async throws -> Double {
        let address = "\(node.location.addresses[0])"
        let holder = try Holder([holdWord, address, "\(node.location.peerId)", "\(count)"])
        try holder.waitUntilReady()
        let seen = look()
        holder.end()
        return seen
    }

    /// Opens the connections, says so on standard output, and holds them until standard input ends.
    static func holdConnections(_ words: [String]) async throws {
        guard words.count == 3, let count = Int(words[2]) else { return }
        let node = PushNodeLocation(peerId: try PeerId(words[1]), addresses: [try Address(words[0])])
        let loop = try EventLoop()
        var held: [any Connection] = []
        for _ in 0..<count {
            let identity = LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "push-bench")
            let endpoint = try Endpoint(eventLoop: loop, identity: identity)
            let dialer = Dialer(endpoint, transports: try BenchTransports.make(endpoint))
            held.append(try await dialer.dial(node.addresses, peer: node.peerId))
        }
        print("ready")
        fflush(nil)
        _ = readLine()
        for connection in held { await connection.close(.local) }
        await loop.shutdown()
    }

    private static func residentBytes() -> Double {
        malloc_trim(0)
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        let pages = fields.count > 1 ? Double(fields[1]) ?? .nan : .nan
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}
