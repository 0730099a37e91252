public import AnySyncNet

/// Who a push node is and where it listens.
public struct ListenConfiguration: Sendable {
    /// The node's keys and versions; its peer id is what clients dial.
    public var identity: LocalIdentity
    /// What to bind, one kind of address each; port 0 takes a free port. Every kind needs a transport in
    /// ``transports``. An address without a scheme takes `tls+yamux` only; `yamux://` written out admits bare yamux too,
    /// which Anytype's own clients speak (SECURITY.md, "The path").
    public var addresses: [Address]
    /// Makes the transports to listen with. TCP alone unless told otherwise, so that a node without QUIC links neither
    /// of its libraries; for QUIC, append `try QUICTransport(endpoint)` of `AnySyncQUIC`, and read there why a public
    /// node should think twice.
    public var transports: @Sendable (Endpoint) throws -> [any Transport] = { [TCPTransport($0)] }
    /// What peers are granted on connections.
    public var netLimits = NetLimits()
    /// What peers are granted in calls.
    public var rpcLimits = RPCLimits()

    /// A configuration with the defaults named at each property.
    ///
    /// - Parameters:
    ///   - identity: the node's keys and versions.
    ///   - addresses: what to bind.
    public init(identity: LocalIdentity, addresses: [Address]) {
        self.identity = identity
        self.addresses = addresses
    }
}
