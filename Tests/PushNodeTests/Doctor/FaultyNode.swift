import AnySyncNet
import AnySyncWire
import Glibc
import PushCrypto

/// A node that answers every call with an error, or speaks another version.
struct FaultyNode: RPCHandler {
    let peerId: PeerId
    let addresses: [Address]

    static func run(version: UInt32 = 13, _ body: (FaultyNode) async throws -> Void) async throws {
        let loop = try EventLoop()
        let identity = LocalIdentity(
            account: SigningKey(), peer: SigningKey(), clientVersion: "faulty", version: version,
            acceptedVersions: [version]
        )
        let listener = try await TCPTransport(Endpoint(eventLoop: loop, identity: identity))
            .listen(on: Address("yamux://127.0.0.1:0"))
        let node = FaultyNode(peerId: identity.peerId, addresses: listener.addresses)
        let server = DRPCServer(handler: node)
        let serving = Task { await server.serve(listener) }
        var failure: (any Error)?
        do { try await body(node) } catch { failure = error }
        await server.shutdown(drain: .seconds(1))
        await serving.value
        await loop.shutdown()
        if let failure { throw failure }
    }

    func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
        throw RPCError(code: 1200, text: "out of order")
    }
}

/// A port that takes connections and never says a word.
struct SilentPort {
    struct NoSocket: Error {}

    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw NoSocket() }
    }

    func close() { _ = Glibc.close(descriptor) }
}

/// The machine's time.
enum UnixClock {
    static var now: Int64 { Int64(time(nil)) }
}
