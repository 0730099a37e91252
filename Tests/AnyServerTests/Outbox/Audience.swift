import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

@testable import AnyServer

/// Another account, in a process of the test's, whose phone is told of what a server's account writes.
struct Audience {
    let account: TestAccount
    private let push: PushAccount

    /// - Parameter node: the push node.
    init(at node: PushNodeLocation) async throws {
        account = try await TestAccount()
        var options = PushOptions(account: account.keys.accountKey, device: account.keys.deviceKey, node: node)
        options.reconciler.debounce = .milliseconds(5)
        push = PushAccount(
            options, directory: AccountSpaceDirectory(account.store), tokens: DeviceTokenFile(in: account.directory))
        try await push.start()
        try await push.setToken(DeviceToken(platform: .android, token: "phone"))
    }

    /// Makes a space on a server, and follows it.
    ///
    /// - Returns: its id, once the node has the account's topics.
    func follow(newSpaceOf server: ServerClient) async throws -> String {
        let space = try #require(try await server.post("/v1/spaces", ["name": "Team"]).string("id"))
        _ = try await server.post("/v1/spaces/\(space)/members", ["identity": .string(account.id), "role": "writer"])
        var lines: [JSONObject] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "?cursor=\($0)" } ?? ""
            let page = try await server.get("/v1/spaces/\(space)/export\(query)")
            lines += page.array("lines")?.compactMap(\.object) ?? []
            cursor = page.string("next")
        } while cursor != nil
        _ = try await account.store.importLines(lines)
        push.directoryChanged(.space(space))
        let key = try await keys(of: space).spaceKey.publicKey.rawRepresentation
        await eventually { (try? await push.subscriptions())?.contains { $0.spaceKey == key } ?? false }
        return space
    }

    func keys(of space: String) async throws -> SpacePushKeys {
        let records = try await account.store.aclRecords(of: space, from: 0, limit: .max)
        return try ACLLog(records: records, account: account.keys.accountKey, mode: .full).state.pushKeys()
    }

    /// The id of the message that a sealed payload is about.
    func messageId(_ sealed: [UInt8], in space: String) async throws -> String {
        try ChatPayload(json: try await keys(of: space).encryptionKey.open(sealed)).newMessage.msgId.string
    }

    func end() async {
        await push.stop()
        await account.store.close()
    }
}

/// A client that keeps its connection to a server.
struct ServerClient {
    struct Refused: Error {
        let status: Int
        let text: String
    }

    private let client: RawClient

    init(_ address: String) throws {
        client = try RawClient(try ListenAddress(address))
    }

    func get(_ target: String) async throws -> JSONObject { try await call("GET", target, nil) }
    func post(_ target: String, _ body: JSONValue) async throws -> JSONObject { try await call("POST", target, body) }

    /// Sends a message.
    ///
    /// - Returns: its id, once the server has it.
    func send(_ text: String, to chat: String, in space: String) async throws -> String {
        let answer = try await post("/v1/spaces/\(space)/objects/\(chat)/chat/messages", ["text": .string(text)])
        return try #require(answer.array("recordIds")?.first?.string)
    }

    private func call(_ method: String, _ target: String, _ body: JSONValue?) async throws -> JSONObject {
        let text = body.map { String(decoding: JSONWriter.bytes($0), as: UTF8.self) }
        await client.send(TestServer.text(method, target, body: text))
        let response = try await client.response()
        guard (200..<300).contains(response.status) else { throw Refused(status: response.status, text: response.text) }
        return response.json?.object ?? [:]
    }

    func close() { client.close() }
}
