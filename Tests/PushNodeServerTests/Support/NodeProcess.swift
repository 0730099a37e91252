import AnySyncNet
import Glibc
import PushCrypto
import PushNode
import TestSupport

/// The tool's `any node` as a process of its own, which can be killed.
final class NodeProcess: Sendable {
    private let process: ToolProcess
    let location: PushNodeLocation

    private init(_ process: ToolProcess, _ location: PushNodeLocation) {
        self.process = process
        self.location = location
    }

    /// Starts the process and waits until it listens.
    static func start(dataDirectory: String, listening kind: ConnectionKind) async throws -> NodeProcess {
        let process = try ToolProcess([
            "node", "--data-dir", dataDirectory, "--listen", "\(kind.rawValue)://127.0.0.1:0",
        ])
        var text = ""
        while true {
            let chunk = await process.read()
            guard !chunk.isEmpty else { break }
            text += String(decoding: chunk, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard let peer = word(after: "PEER ", lines) else { continue }
            guard let address = word(after: "LISTENING ", lines) else { continue }
            let location = PushNodeLocation(
                peerId: try PeerId(peer), addresses: [try Address(address).with(kind: kind)])
            return NodeProcess(process, location)
        }
        await process.wait()
        throw TestFailure("the node ended after: \(text)")
    }

    private static func word(after prefix: String, _ lines: ArraySlice<Substring>) -> String? {
        lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// What ends the process at once, from any task.
    var kill: @Sendable () -> Void {
        { [process] in process.signal(SIGKILL) }
    }

    /// Waits until a process that was killed is gone.
    func wait() async {
        await process.wait()
    }

    /// Ends the process in order.
    func stop() async -> Int32 {
        process.signal(SIGTERM)
        return await process.wait()
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
