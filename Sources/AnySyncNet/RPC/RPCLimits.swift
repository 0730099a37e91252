public import AnySyncWire

/// What an RPC client or server grants the other side.
public struct RPCLimits: Hashable, Sendable {
    /// The bounds of packets and messages (protocol.md §7: messages of at most 1 MiB).
    public var packets = DRPCLimits()
    /// Calls a server runs at once, all connections together; further calls wait, which holds back their streams.
    public var concurrentCalls = 1024
    /// Bytes of requests that a server holds at once, all connections together: those that run or wait, and those that are
    /// still arriving.
    public var requestBytes = 64 * 1024 * 1024
    /// Time for the handshake that opens a stream (protocol.md §6, "Proto handshake").
    public var streamHandshakeTimeout = Duration.seconds(10)

    /// The defaults named at each property.
    public init() {}
}
