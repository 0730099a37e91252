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
    /// Where it calls from; `nil` when that is not known.
    package let address: AddressGroup?

    /// A context as a test or another front end makes it.
    public init(peerId: PeerId, identity: PublicKey, version: UInt32, kind: ConnectionKind) {
        self.init(peerId: peerId, identity: identity, version: version, kind: kind, address: nil)
    }

    /// The context of a connection.
    package init(peerId: PeerId, identity: PublicKey, version: UInt32, kind: ConnectionKind, address: AddressGroup?) {
        self.address = address
        self.peerId = peerId
        self.identity = identity
        self.version = version
        self.kind = kind
    }
}
