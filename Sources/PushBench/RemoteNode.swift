import AnySyncNet
import Glibc
import PushCrypto
import PushNode

/// A push node on loopback as a process of its own.
struct RemoteNode {
    /// The word that makes this executable the node; the kind of connection follows.
    static let word = "--node"

    private let process: Holder
    let location: PushNodeLocation
    let meter: ProcessMeter

    init(_ kind: ConnectionKind) throws {
        process = try Holder([Self.word, kind.rawValue])
        let words = try process.line().split(separator: " ").map(String.init)
        guard words.count == 2 else { throw Holder.Failure(description: "the node did not say where it is") }
        location = PushNodeLocation(peerId: try PeerId(words[1]), addresses: [try Address(words[0])])
        meter = ProcessMeter(process.pid)
    }

    func end() {
        process.end()
    }

    /// Is the node: says where on standard output, and serves until standard input ends.
    static func serve(_ words: [String]) async throws {
        guard let kind = words.first.flatMap(ConnectionKind.init(rawValue:)) else { return }
        let node = try await BenchNode(kind: kind)
        print("\(node.location.addresses[0]) \(node.location.peerId)")
        fflush(nil)
        _ = readLine()
        await node.stop()
    }
}
