/// What an RPC client or server grants the other side.
public struct DRPCLimits: Hashable, Sendable {
    /// The largest message in bytes, compressed or not (protocol.md §7: 1 MiB by default).
    public var messageBytes = 1024 * 1024
    /// Calls a server runs at once, all connections together. Further calls wait, which holds back their streams.
    public var concurrentCalls = 1024
    /// Time for the handshake that opens a stream (protocol.md §6, "Proto handshake").
    public var streamHandshakeTimeout = Duration.seconds(10)

    /// The defaults named at each property.
    public init() {}
}
