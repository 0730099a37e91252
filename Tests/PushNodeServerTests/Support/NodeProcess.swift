import AnySyncNet
import Foundation
import Glibc
import PushCrypto
import PushNode

/// The tool's `any node` as a process of its own, which can be killed.
final class NodeProcess {
    private let process: Process
    let location: PushNodeLocation

    private init(_ process: Process, _ location: PushNodeLocation) {
        self.process = process
        self.location = location
    }

    /// Starts the process and waits until it listens.
    static func start(dataDirectory: String) async throws -> NodeProcess {
        let process = Process()
        // The tool is built beside the tests.
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("any")
        process.arguments = ["node", "--data-dir", dataDirectory, "--listen", "yamux://127.0.0.1:0"]
        let output = Pipe()
        process.standardOutput = output
        // Waited for without holding one of the few threads that all tests share.
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(data) }
        }
        defer { output.fileHandleForReading.readabilityHandler = nil }
        try process.run()
        var text = ""
        for await chunk in chunks {
            text += String(decoding: chunk, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard let peer = word(after: "PEER ", lines) else { continue }
            guard let address = word(after: "LISTENING ", lines) else { continue }
            let location = PushNodeLocation(peerId: try PeerId(peer), addresses: [try Address(address)])
            return NodeProcess(process, location)
        }
        process.waitUntilExit()
        throw TestFailure("the node ended after: \(text)")
    }

    private static func word(after prefix: String, _ lines: ArraySlice<Substring>) -> String? {
        lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// What ends the process at once, from any task.
    var kill: @Sendable () -> Void {
        { [pid = process.processIdentifier] in _ = Glibc.kill(pid, SIGKILL) }
    }

    /// Waits until a process that was killed is gone.
    func wait() {
        process.waitUntilExit()
    }

    /// Ends the process in order.
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        guard process.isRunning else { return }
        kill()
        process.waitUntilExit()
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
