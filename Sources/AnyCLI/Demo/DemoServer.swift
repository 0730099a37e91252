import AnyServer
import AnySyncNet
import FoundationEssentials
import Glibc
import PushCrypto
import PushNode

/// One person's `any` server: a process of its own, talked to by HTTP and by the same commands as its user would give.
final class DemoServer {
    // Enough for a machine that is busy with other things.
    private static let startTimeout: Int32 = 20

    let accountId: String
    private let directory: String
    private let environment: [String: String]
    private var process: ChildProcess
    private var connection: ServerConnection

    /// Makes an account and starts its server on a free port.
    ///
    /// - Parameter push: what the server knows of the push node.
    init(directory: String, push: PushNodeLocation) throws {
        self.directory = directory
        environment = [
            // The user's own configuration is not part of the story.
            "HOME": directory, "XDG_CONFIG_HOME": directory,
            "ANY_PUSH_PEER_ID": "\(push.peerId)",
            "ANY_PUSH_ADDRS": push.addresses.map { "\($0.host):\($0.port)" }.joined(separator: ","),
        ]
        let made = try ChildProcess(["init", "--data-dir", directory], environment: environment, keepsErrors: true)
            .end()
        guard made.status == 0, let account = try Self.parse(made.output).string("accountId") else {
            throw ChildProcess.Failure(description: "any init: \(made.errors)")
        }
        accountId = account
        (process, connection) = try Self.start(directory, environment)
    }

    var address: String { "\(connection.address)" }

    /// Ends the process without a chance to save anything, and starts it again.
    func killAndRestart() throws {
        process.signal(SIGKILL)
        process.wait()
        (process, connection) = try Self.start(directory, environment)
    }

    /// Asks the process to end in good order.
    func stop() {
        process.signal(SIGTERM)
        process.wait()
    }

    /// Sends a request.
    ///
    /// - Throws: what the server refused.
    @discardableResult
    func send(_ method: ServerRequest.Method, _ path: RequestPath, _ body: JSONObject? = nil) throws -> JSONObject {
        var request = ServerRequest(method, path)
        if let body { request.body = JSONWriter.bytes(.object(body)) }
        return try connection.send(request).value()?.object ?? [:]
    }

    /// Gives a command to this server, such as `space export`.
    ///
    /// - Returns: what it prints.
    @discardableResult
    func command(_ words: [String]) throws -> [UInt8] {
        let end = try ChildProcess(words + ["--addr", address], environment: [:], keepsErrors: true).end()
        guard end.status == 0 else {
            throw ChildProcess.Failure(description: "any \(words.prefix(2).joined(separator: " ")): \(end.errors)")
        }
        return end.output
    }

    /// The keys that a space's row has for the phones of its members.
    func keys(of spaceId: String) throws -> ReceiverKeys {
        let row = try send(.get, "/v1/spaces/\(spaceId)")
        guard let push = row.object("push") else {
            throw ChildProcess.Failure(description: "the row of \(spaceId) has no keys")
        }
        return try JSONDecoder().decode(ReceiverKeys.self, from: Data(JSONWriter.bytes(.object(push))))
    }

    /// The topics that the node holds for the account.
    func subscriptions() throws -> [String] {
        try send(.get, "/v1/push/subscriptions").array("subscriptions")?.compactMap { $0.object?.string("topic") } ?? []
    }

    private static func start(
        _ directory: String, _ environment: [String: String]
    ) throws -> (ChildProcess, ServerConnection) {
        let process = try ChildProcess(
            ["run", "--data-dir", directory, "--addr", "127.0.0.1:0", "--log-level", "error"], environment: environment)
        guard let line = process.line(within: startTimeout), line.hasPrefix("LISTENING ") else {
            throw ChildProcess.Failure(description: "the server in \(directory) did not start")
        }
        return (process, try ServerConnection(address: ServerAddress(String(line.dropFirst("LISTENING ".count)))))
    }

    private static func parse(_ output: [UInt8]) throws -> JSONObject {
        try JSONParser.parse(output, limits: ServerReply.limits).object ?? [:]
    }
}
