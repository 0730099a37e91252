/// Serves unary calls on every connection of its listeners (protocol.md §7).
public final class DRPCServer: Sendable {
    /// A server that answers with `handler`.
    public init(handler: any RPCHandler, limits: RPCLimits = RPCLimits()) {}

    /// Serves the connections of a listener until ``shutdown(drain:)`` or until the listener or the calling task ends.
    ///
    /// May run for several listeners at once. Returns after every handler it started has ended.
    public func serve(_ listener: any Listener) async {}

    /// Serves one connection until it closes; for peers that we dialled ourselves.
    public func serve(_ connection: any Connection) async {}

    /// Stops listeners and new calls, lets running calls finish, then closes the connections.
    ///
    /// - Parameter drain: how long running calls may take; then they are cancelled.
    public func shutdown(drain: Duration) async {}

    /// Counters since the start.
    public var statistics: DRPCStatistics { DRPCStatistics() }
}

/// What a server has done since it started.
public struct DRPCStatistics: Hashable, Sendable {
    /// Calls running now.
    public var activeCalls = 0
    /// Streams open now.
    public var activeStreams = 0
    /// Calls answered with a response.
    public var succeeded: UInt64 = 0
    /// Calls answered with an ``RPCError`` that the handler threw, by code.
    public var failed: [UInt64: UInt64] = [:]
    /// Calls whose handler threw anything else.
    public var unexpected: UInt64 = 0
    /// Calls given up by the caller.
    public var cancelled: UInt64 = 0
    /// Streams ended because the peer broke the protocol or a limit.
    public var protocolErrors: UInt64 = 0

    init() {}
}
