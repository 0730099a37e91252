/// What a QUIC transport grants strangers and peers beyond what `NetLimits` says for every transport.
public struct QUICLimits: Hashable, Sendable {
    /// A connection that hears nothing for so long is dead. The peer's own limit counts too, if it is shorter.
    public var silenceTimeout = Duration.seconds(30)
    /// A dialer pings when it has sent nothing for so long, or for half of the shorter silence limit (protocol.md §5
    /// allows 25 s; one lost ping must not cost a connection).
    public var keepAlive = Duration.seconds(15)
    /// Bytes that the library may hold for one connection beyond the input that `NetLimits.bufferedInput` allows. Its
    /// fixed pools take about 85 KiB.
    public var memoryPerConnection = 1024 * 1024
    /// Unfinished handshakes from which on a dialer must first prove that it can be reached at its address.
    public var handshakesBeforeRetry = 32
    /// Connections that are begun in a second, on average and all addresses together, without such a proof; a burst may
    /// be twice as large. Each costs a TLS session, even when its first packet turns out to be forged.
    public var unprovenPerSecond = 500
    /// Connections that one address (of IPv6: one /64) may begin in a second, on average; a burst may be twice as
    /// large. Also what one address is told without a connection, such as retries.
    public var handshakesPerAddress = 200
    /// Answers a second to whoever has no connection, all addresses together: retries, version negotiations, stateless
    /// resets.
    public var answersPerSecond = 10_000
    /// Datagrams a second, on average, that a dialer may send on one connection without a use: those that bring no bytes of a
    /// stream, such as pings, and acknowledge none; a burst may be twice as large. The rest is dropped before the library sees
    /// it. Datagrams that are of use are bounded by flow control and by what may be held.
    public var idleDatagramsPerSecond = 4000
    /// How long a listener that has refused a dialer's credentials waits for the dialer to close, so that the reason
    /// arrives.
    public var refusalLinger = Duration.seconds(1)

    /// The defaults named at each property.
    public init() {}
}
