import AnySyncNet
import FoundationEssentials
import Glibc
import PushCrypto
import PushNode

/// Where a node is and who it is.
struct NodeAddress: Sendable {
    let peer: PeerId
    let address: Address

    var location: PushNodeLocation { PushNodeLocation(peerId: peer, addresses: [address]) }
}

/// A push node: the tool's `any node`, built beside this program, as a process in a folder of its own.
final class NodeProcess {
    private let folder: String
    private let descriptors: Descriptors
    private var process: ChildProcess
    private(set) var node: NodeAddress

    /// Starts a node that listens on a free port of loopback.
    init(in folder: String, over kind: ConnectionKind, _ descriptors: Descriptors) async throws {
        self.folder = folder
        self.descriptors = descriptors
        let free = Address(kind: kind == .quic ? .quic : .yamux, host: "127.0.0.1", port: 0)
        (process, node) = try await Self.start(folder, free, over: kind, descriptors)
    }

    /// Ends the node in order and starts it again at the same address.
    func restart() async throws {
        process.end(SIGTERM)
        (process, _) = try await Self.start(
            folder, node.address.with(kind: node.address.kind == .quic ? .quic : .yamux),
            over: node.address.kind ?? .yamux,
            descriptors)
    }

    func stop() { process.end(SIGTERM) }

    var isRunning: Bool { process.isRunning }
    var spool: String { folder + "/node/spool/notifications.ndjson" }
    var memory: ProcessMemory { ProcessMemory(of: process.identifier) }

    /// What it has said on standard error.
    var complaints: String {
        (try? String(contentsOfFile: folder + "/node.log", encoding: .utf8)) ?? ""
    }

    private static func start(
        _ folder: String, _ address: Address, over kind: ConnectionKind, _ descriptors: Descriptors
    ) async throws -> (ChildProcess, NodeAddress) {
        let words =
            descriptors.shell + [
                try toolPath(), "node", "--data-dir", folder + "/node", "--listen", "\(address)",
            ]
        let process = try ChildProcess(words, errors: folder + "/node.log")
        var peer: PeerId?
        var bound: Address?
        while peer == nil || bound == nil {
            guard let line = try await process.line(within: .seconds(30)) else {
                let log = (try? String(contentsOfFile: folder + "/node.log", encoding: .utf8)) ?? ""
                throw Failure("the node did not start: \(log)")
            }
            if line.hasPrefix("PEER ") { peer = try PeerId(String(line.dropFirst(5))) }
            if line.hasPrefix("LISTENING ") { bound = try Address(String(line.dropFirst(10))) }
        }
        guard let peer, let bound else { throw Failure("the node did not say where it listens") }
        return (process, NodeAddress(peer: peer, address: bound.with(kind: kind)))
    }

    private static func toolPath() throws -> String {
        let own = try OwnProgram.path()
        let path = own.prefix { _ in true }.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/any"
        guard access(path, X_OK) == 0 else {
            throw Failure("there is no \(path): build it with swift build --product any")
        }
        return path
    }
}

enum OwnProgram {
    static func path() throws -> String {
        var path = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw Failure("no path of our own") }
        return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
