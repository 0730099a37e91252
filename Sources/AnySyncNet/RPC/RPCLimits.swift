public import AnySyncWire

/// What an RPC client or server grants the other side.
public struct RPCLimits: Hashable, Sendable {
    /// The bounds of packets and messages (protocol.md §7), messages of at most 2 MiB.
    public var packets = DRPCLimits()
    /// Streams that a client opens at once (protocol.md §5: a reference node throttles past about 10).
    public var clientStreams = 10
    /// How long a client keeps a stream that it does not use, while it has another.
    public var idleStreamTimeout = Duration.seconds(30)
    /// Calls that a server runs at once, all connections together; further calls wait, which holds back their streams.
    public var concurrentCalls = 1024
    /// Bytes of requests that a server holds at once, all connections together: running, waiting and still arriving. A
    /// stream that goes over it is closed.
    public var requestBytes = 64 * 1024 * 1024
    /// Time a server gives for the handshake that opens a stream (protocol.md §6, "Proto handshake").
    public var streamHandshakeTimeout = Duration.seconds(10)

    /// The defaults named at each property.
    public init() {}
}
