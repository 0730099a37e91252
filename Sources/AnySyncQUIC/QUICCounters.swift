/// What a QUIC listener has done with datagrams that belong to no connection.
public struct QUICCounters: Hashable, Sendable {
    /// Datagrams that are not QUIC, or that nothing can be answered to.
    public internal(set) var ignored: UInt64 = 0
    /// Dialers that were asked to prove their address.
    public internal(set) var retries: UInt64 = 0
    /// Tokens that were refused.
    public internal(set) var invalidTokens: UInt64 = 0
    /// Dialers that were told which version is spoken here.
    public internal(set) var versionNegotiations: UInt64 = 0
    /// Peers that were told that their connection is unknown here.
    public internal(set) var statelessResets: UInt64 = 0
    /// Datagrams left without an answer because their address, or all together, had too many.
    public internal(set) var rateLimited: UInt64 = 0

    init() {}
}
