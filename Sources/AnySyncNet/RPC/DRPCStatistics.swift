/// What a ``DRPCServer`` has done since it started.
public struct DRPCStatistics: Hashable, Sendable {
    /// Calls running now.
    public internal(set) var activeCalls = 0
    /// Connections served now.
    public internal(set) var activeConnections = 0
    /// Streams open now.
    public internal(set) var activeStreams = 0
    /// Calls answered with a response.
    public internal(set) var succeeded: UInt64 = 0
    /// Calls answered with an error that the handler threw, by its code.
    public internal(set) var failed: [UInt64: UInt64] = [:]
    /// Calls whose handler threw something else; the caller got a general error.
    public internal(set) var unexpected: UInt64 = 0
    /// Calls given up by the caller, or by a shutdown.
    public internal(set) var cancelled: UInt64 = 0
    /// Streams whose opening handshake failed or took too long.
    public internal(set) var refusedStreams: UInt64 = 0
    /// Streams closed because the peer broke the protocol.
    public internal(set) var protocolErrors: UInt64 = 0
    /// Streams closed because more would have been held for the caller than its share.
    public internal(set) var overloads: UInt64 = 0
    /// Streams closed because a message took too long to arrive.
    public internal(set) var lateMessages: UInt64 = 0
    /// Streams closed because the caller did not take an answer.
    public internal(set) var untakenAnswers: UInt64 = 0

    init() {}
}
