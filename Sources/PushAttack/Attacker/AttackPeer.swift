import AnySyncNet
import AnySyncQUIC
import AnySyncWire
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// One of the attacker's peers: it grants itself everything, and speaks in halves when it likes.
struct AttackPeer: Sendable {
    let account: SigningKey
    private let node: NodeAddress
    private let transports: [any Transport]
    private let version: UInt32

    /// - Parameters:
    ///   - loop: may be shared with other peers.
    ///   - keepAlive: how often a QUIC connection pings; `nil` for the usual.
    init(_ node: NodeAddress, on loop: EventLoop, account: SigningKey = SigningKey(), keepAlive: Duration? = nil) throws
    {
        self.account = account
        self.node = node
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "push-attack")
        version = identity.version
        let endpoint = try Endpoint(eventLoop: loop, identity: identity, limits: Self.limits)
        transports = try Self.transports(endpoint, keepAlive: keepAlive)
    }

    static func transports(_ endpoint: Endpoint, keepAlive: Duration? = nil) throws -> [any Transport] {
        var limits = QUICLimits()
        if let keepAlive { limits.keepAlive = keepAlive }
        limits.memoryPerConnection = 1 << 30
        return [TCPTransport(endpoint), try QUICTransport(endpoint, limits: limits)]
    }

    private static var limits: NetLimits {
        var limits = NetLimits()
        limits.outgoingStreams = 1 << 16
        limits.bufferedInput = 1 << 30
        return limits
    }

    /// Connects.
    ///
    /// - Parameter address: where to, the node's own when `nil`.
    func dial(at address: Address? = nil) async throws -> any Connection {
        let address = address ?? node.address
        guard let kind = address.kind, let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
            throw Failure("no transport for \(address)")
        }
        return try await transport.dial(address, peer: node.peer, turn: DialTurn(version: version))
    }

    /// Has a device of this peer's get what is sent in some spaces.
    func register(_ token: String, for spaces: [AttackSpace]) async throws {
        let connection = try await dial()
        let client = Self.client(connection, streams: 1)
        let device = SetTokenRequest(platform: .android, token: WireString(token))
        _ = try await client.call(PushRPC.setToken.rawValue, device.encoded(), timeout: .seconds(60))
        let topics = TopicsMessage(topics: Topics(spaces.map { Topic($0.topic) }))
        _ = try await client.call(PushRPC.subscribeAll.rawValue, topics.encoded(), timeout: .seconds(60))
        await connection.close(.local)
    }

    /// A client of the ordinary kind over a connection.
    static func client(_ connection: any Connection, streams: Int) -> DRPCClient {
        var limits = RPCLimits()
        limits.clientStreams = streams
        return DRPCClient(connection: connection, limits: limits)
    }
}

/// A stream on which calls are written by hand.
enum RawStream {
    /// Opens a stream and its opening handshake, without compression.
    static func open(on connection: any Connection) async throws -> any ByteStream {
        let stream = try await connection.openStream()
        let offer = ProtoOffer(encodings: [.none]).frame
        try await stream.write(offer)
        var heard = 0
        while heard < offer.count {
            guard let bytes = try await stream.read() else { throw TransportError.streamReset }
            heard += bytes.count
        }
        return stream
    }

    /// A whole call.
    static func call(_ rpc: PushRPC, _ request: [UInt8], number: UInt64) -> [UInt8] {
        frame(.invoke, Array(rpc.rawValue.utf8), call: number, message: 1)
            + frame(.message, request, call: number, message: 2)
            + frame(.closeSend, [], call: number, message: 3)
    }

    /// One frame.
    static func frame(
        _ kind: DRPCKind, _ body: [UInt8], call: UInt64, message: UInt64, isDone: Bool = true
    ) -> [UInt8] {
        var output: [UInt8] = []
        let header = DRPCFrameHeader(
            kind, isDone: isDone, stream: call, message: message, length: UInt64(body.count))
        header.encode(to: &output)
        return output + body
    }
}

/// A space of the attacker's.
struct AttackSpace: Sendable {
    let key = SigningKey()
    let topic: SignedTopic

    init() {
        topic = SpacePushKeys(spaceKey: key, encryptionKey: SymmetricKey()).sign(TopicName.chats)
    }

    /// A notification of the space, like no other, as the request that carries it.
    func notification(from account: SigningKey) -> [UInt8] {
        let payload = (0..<32).flatMap { _ in
            withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }
        }
        let message = NotifyRequest.Message(
            keyId: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", payload: payload,
            signature: account.signature(for: payload))
        return NotifyRequest(topics: Topics([Topic(topic)]), message: message, groupId: "group").encoded()
    }
}
