import AnySyncNet
import PushCrypto

/// A server that echoes and its client over one kind of connection, each on a loop of its own, with nothing else to do
/// than to carry calls.
struct BenchLink {
    private let loops: [EventLoop]
    private let server: DRPCServer
    private let serving: Task<Void, Never>
    private let listener: any Listener
    private let dialer: Dialer
    private let peer: PeerId
    private let client: DRPCClient

    private struct Echo: RPCHandler {
        func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] { request }
    }

    /// The most streams that are measured.
    static let streams = 64

    init(_ kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.outgoingStreams = Self.streams
        let (here, there) = (try EventLoop(), try EventLoop())
        let local = try Endpoint(eventLoop: here, identity: Self.identity(), limits: limits)
        let remote = try Endpoint(eventLoop: there, identity: Self.identity(), limits: limits)
        loops = [here, there]
        peer = remote.identity.peerId
        guard let transport = try BenchTransports.make(remote).first(where: { $0.kinds.contains(kind) }) else {
            throw TransportError.notSupported(kind)
        }
        listener = try await transport.listen(on: Address(kind: kind, host: "127.0.0.1", port: 0))
        server = DRPCServer(handler: Echo())
        serving = Task { [server, listener] in await server.serve(listener) }
        dialer = Dialer(local, transports: try BenchTransports.make(local))
        var rpcLimits = RPCLimits()
        rpcLimits.clientStreams = Self.streams
        client = DRPCClient(
            connection: try await dialer.dial(listener.addresses, peer: peer), limits: rpcLimits)
    }

    private static func identity() -> LocalIdentity {
        LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "push-bench")
    }

    /// Makes so many calls, so many at once, of about a notification's size.
    func call(_ count: Int, atOnce: Int) async throws {
        let request = [UInt8](repeating: 7, count: 600)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    for _ in 0..<count / atOnce {
                        keep(try await client.call("/bench/Echo", request, timeout: .seconds(60)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A dial as one that knows the node makes it, from the address to both handshakes' end; in nanoseconds.
    func dial() async throws -> Double {
        let loop = try EventLoop()
        let endpoint = try Endpoint(eventLoop: loop, identity: Self.identity())
        let dialer = Dialer(endpoint, transports: try BenchTransports.make(endpoint))
        let start = Meter.wallTime()
        let connection = try await dialer.dial(listener.addresses, peer: peer)
        let time = Meter.wallTime() - start
        await connection.close(.local)
        await loop.shutdown()
        return time
    }

    func stop() async {
        await client.close()
        await client.connection.close(.local)
        await server.shutdown(drain: .seconds(5))
        await serving.value
        for loop in loops { await loop.shutdown() }
    }
}
