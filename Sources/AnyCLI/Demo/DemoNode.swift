import AnySyncNet
import FoundationEssentials
import Glibc
import PushCrypto
import PushNode

/// The push node of the story: a process of its own that can be stopped, killed and started again.
final class DemoNode {
    // Enough for a machine that is busy with other things.
    private static let startTimeout: Int32 = 20

    private let directory: String
    /// Tells when the node has written something.
    let watch: FileWatch
    private var process: ChildProcess
    /// Who the node is and where it listens.
    let location: PushNodeLocation

    /// Starts the node on a free port.
    init(directory: String) throws {
        self.directory = directory
        let free = Address(kind: .yamux, host: "127.0.0.1", port: 0)
        (process, location) = try Self.start(directory, free)
        watch = try FileWatch(directory)
    }

    /// The file to which the node writes what phones get.
    var spool: String { directory + "/spool/notifications.ndjson" }

    /// Stops the process in its tracks; peers see a connection that does not answer.
    func freeze() { process.signal(SIGSTOP) }

    /// Ends the process without a chance to save anything, and starts it again on the same port.
    func killAndRestart() throws {
        process.signal(SIGKILL)
        process.wait()
        (process, _) = try Self.start(directory, location.addresses[0])
    }

    /// Asks the process to end in good order.
    func stop() {
        process.signal(SIGTERM)
        process.wait()
    }

    /// Whether any file of the node holds the text.
    func knows(_ text: String) -> Bool {
        let needle = Data(text.utf8)
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return files.contains { file in
            FileManager.default.contents(atPath: directory + "/" + file)?.firstRange(of: needle) != nil
        }
    }

    private static func start(_ directory: String, _ address: Address) throws -> (ChildProcess, PushNodeLocation) {
        let process = try ChildProcess(["node", "--data-dir", directory, "--listen", "\(address)"])
        guard
            let peer = process.line(within: startTimeout)?.dropPrefix("PEER "),
            let bound = process.line(within: startTimeout)?.dropPrefix("LISTENING ")
        else { throw ChildProcess.Failure(description: "the push node did not start") }
        return (process, PushNodeLocation(peerId: try PeerId(String(peer)), addresses: [try Address(String(bound))]))
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
