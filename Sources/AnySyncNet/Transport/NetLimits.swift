/// What one process grants its peers. A breach costs the peer its connection and nobody else anything.
public struct NetLimits: Hashable, Sendable {
    /// Established connections in all; fewer when the process may not open as many descriptors. Past it the incoming
    /// connection of least use makes room for a new one: of the address and then the account with the most connections, the
    /// one idle for longest.
    public var connections = 4096
    /// Incoming connections of one account. Past it the one idle for longest makes room. Ours: an account has a few devices.
    public var connectionsPerAccount = 64
    /// Incoming connections of one address (of IPv6: one /64). Past it one of those makes room. Ours: many people may share
    /// an address. Behind a proxy that all peers come through, set it to ``connections``.
    public var connectionsPerAddress = 1024
    /// Incoming connections whose handshakes are not done, over all transports; fewer when the process may not open as many
    /// descriptors. Past it one of the address with the most is dropped, first those that have sent nothing, then the oldest.
    public var unfinishedHandshakes = 256
    /// The same of one address (of IPv6: one /64).
    public var unfinishedHandshakesPerAddress = 128
    /// Descriptors that connections leave to everything else that the process opens; half of what there is, if that is less.
    public var descriptorReserve = 32
    /// Time for TLS and credentials together, after the socket is connected (protocol.md §6).
    public var handshakeTimeout = Duration.seconds(10)
    /// Time for resolving a name and connecting the socket, each.
    public var connectTimeout = Duration.seconds(10)
    /// When the next address of a peer is tried beside one that has not answered yet (RFC 8305 §5).
    public var attemptDelay = Duration.milliseconds(250)
    /// How long an encrypted address is waited for before a readable one is tried beside it. Ours: enough for a slow
    /// path, and half of what a call may take.
    public var encryptedHeadStart = Duration.seconds(5)
    /// The same for an encrypted address that let that time pass when it was last dialled.
    public var shortHeadStart = Duration.seconds(1)
    /// Streams that a peer may have open on one connection (protocol.md §5: accept backlog 256).
    public var incomingStreams = 256
    /// Streams that we open at once on one connection (protocol.md §5: a reference node throttles past about 10).
    public var outgoingStreams = 10
    /// How often a silent connection is pinged, and how long the answer may take (protocol.md §5).
    public var pingInterval = Duration.seconds(30)
    /// How long the answer to a ping may take (protocol.md §5).
    public var pingTimeout = Duration.seconds(10)
    /// How long a stream may stay half-closed before it is reset (protocol.md §5).
    public var halfClosedStreamTimeout = Duration.seconds(10)
    /// An incoming connection without stream data for so long is closed; pings do not count.
    public var idleTimeout = Duration.seconds(600)
    /// Bytes queued for sending on a connection before its writers are made to wait.
    public var outputHighWater = 256 * 1024
    /// Bytes that may wait on one connection for the readers of its streams, all streams together.
    public var bufferedInput = 4 * 1024 * 1024

    /// How long the peer of a connection may take nothing of what waits for it. It is closed then.
    public var writeTimeout = Duration.seconds(10)
    /// Bytes held for incoming connections, all together: what arrives and was not read, requests until they are answered,
    /// and answers until they are taken. When they are short, who holds the most is closed.
    public var heldBytes = 64 * 1024 * 1024
    /// The most that one connection may hold, in percent of ``heldBytes``.
    public var heldByConnection = 25
    /// The most that the connections of one account may hold together, in percent of ``heldBytes``.
    public var heldByAccount = 25
    /// The most that the connections of one address (of IPv6: one /64) may hold together, in percent of ``heldBytes``.
    /// Behind a proxy that all peers come through, set it to 100.
    public var heldByAddress = 50
    /// What is kept back for those who hold no more than a twentieth, in percent of ``heldBytes``.
    public var heldInReserve = 25

    /// The defaults named at each property.
    public init() {}

    var shares: ShareLimits {
        ShareLimits(
            total: heldBytes, connection: heldByConnection, account: heldByAccount, address: heldByAddress,
            reserve: heldInReserve)
    }
}
