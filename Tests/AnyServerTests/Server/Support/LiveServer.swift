import AnySyncNet
import Locks
import PushCrypto
import PushNode
import TestSupport
import Testing

@testable import AnyServer

/// A whole server on a port of its own in a folder of its own, for the time of one test.
struct LiveServer: Sendable {
    let server: AnyServer
    let folder: TemporaryDirectory
    let log: SystemLock<[String]>

    var listen: ListenAddress {
        get throws { try ListenAddress(server.address) }
    }

    func client() throws -> RawClient { try RawClient(listen) }

    /// One request on a connection of its own.
    func request(
        _ method: String, _ target: String, headers: [String] = [], body: String? = nil
    ) async throws -> RawResponse {
        let client = try client()
        defer { client.close() }
        await client.send(TestServer.text(method, target, headers: headers, body: body))
        return try await client.response(toHead: method == "HEAD")
    }

    /// One request with a JSON body.
    func request(_ method: String, _ target: String, json: JSONValue) async throws -> RawResponse {
        try await request(method, target, body: String(decoding: JSONWriter.bytes(json), as: UTF8.self))
    }

    /// A push node that nobody is: the port refuses.
    static var unreachableNode: PushNodeLocation {
        PushNodeLocation(
            peerId: PeerId(publicKey: SigningKey().publicKey),
            addresses: [Address(kind: .yamux, host: "127.0.0.1", port: RefusedPort.tcp)])
    }

    /// Options for a server in a folder. Its network is none that a push node is known for, so nothing is ever called.
    static func options(
        in path: String, mode: ServerMode = .standalone, address: String = "127.0.0.1:0",
        push: PushNodeLocation? = nil, log: SystemLock<[String]> = SystemLock([])
    ) throws -> AnyServerOptions {
        var embedded = EmbeddedOptions(dataDirectory: path)
        if let push {
            embedded.pushPeerId = "\(push.peerId)"
            embedded.pushAddresses = push.addresses.map { "\($0)" }.joined(separator: ",")
        }
        embedded.mode = mode.rawValue
        embedded.listenAddress = address
        embedded.nodeConf = "networkId: \(SigningKey().publicKey.networkId)\n"
        var options = try AnyServerOptions(embedded: embedded, onLogLine: { line in log.withLock { $0.append(line) } })
        options.limits = .patient
        return options
    }
}

/// Runs a test against a server, with a fresh account in mode standalone, and stops it however the test ends.
func withAnyServer(
    mode: ServerMode = .standalone, push: PushNodeLocation? = nil, _ test: (LiveServer) async throws -> Void
) async throws {
    let folder = try TemporaryDirectory()
    let root = folder.path("data")
    if mode == .standalone { _ = try Wallet.create(in: DataRoot(path: root), passkey: nil) }
    let log = SystemLock<[String]>([])
    let server = try await AnyServer.start(try LiveServer.options(in: root, mode: mode, push: push, log: log))
    do {
        try await test(LiveServer(server: server, folder: folder, log: log))
    } catch {
        await server.stop(graceful: false)
        throw error
    }
    await server.stop(graceful: false)
}
