import AnySyncNet
import Foundation
import Glibc
import PushCrypto
import PushNode

/// The tool's `any node` as a process of its own, which can be killed.
final class NodeProcess {
    private let process = Process()
    private let output = Pipe()
    let location: PushNodeLocation

    init(dataDirectory: String) throws {
        // The tool is built beside the tests.
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("any")
        process.arguments = ["node", "--data-dir", dataDirectory, "--listen", "yamux://127.0.0.1:0"]
        process.standardOutput = output
        try process.run()
        var words: [Substring: String] = [:]
        var text = ""
        while words["PEER"] == nil || words["LISTENING"] == nil {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw TestFailure("the node ended after: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            for line in text.split(separator: "\n") where text.hasSuffix("\n") {
                guard let space = line.firstIndex(of: " ") else { continue }
                words[line[..<space]] = String(line[line.index(after: space)...])
            }
        }
        location = PushNodeLocation(
            peerId: try PeerId(words["PEER"] ?? ""), addresses: [try Address(words["LISTENING"] ?? "")]
        )
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
