public import PushCrypto

/// Answers unary calls.
public protocol RPCHandler: Sendable {
    /// Answers one call.
    ///
    /// Called on the connection's event loop: return soon, and do CPU-heavy work in a `@concurrent` function or an
    /// actor of your own. The task is cancelled when the caller gives the call up or its connection ends.
    ///
    /// - Parameters:
    ///   - rpc: the full name, such as `/pushproto.Push/Notify`.
    ///   - request: the decompressed request, within the server's message limit.
    ///   - caller: who asks, as proven by the handshakes.
    /// - Returns: the response message.
    /// - Throws: `RPCError` goes to the caller as it is; any other error as code 0 with a general text.
    func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8]
}

/// Who makes a call.
public struct CallerContext: Hashable, Sendable {
    /// The calling device.
    public let peerId: PeerId
    /// The calling account.
    public let identity: PublicKey
    /// The protocol version agreed with it.
    public let version: UInt32
    /// How it is connected.
    public let kind: ConnectionKind
    /// The socket address that it calls from, such as `192.0.2.1:4430` or `[2001:db8::1]:4430`; empty when not known.
    public let remoteAddress: String

    /// A context as a test or another front end makes it.
    public init(
        peerId: PeerId, identity: PublicKey, version: UInt32, kind: ConnectionKind, remoteAddress: String = ""
    ) {
        self.remoteAddress = remoteAddress
        self.peerId = peerId
        self.identity = identity
        self.version = version
        self.kind = kind
    }
}
