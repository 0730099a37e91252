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
    /// Accounts that wait take turns. What waiting calls hold is bounded by `NetLimits.heldBytes`.
    public var concurrentCalls = 1024
    /// Calls that a server runs at once for one account. Ours: a client opens 10 streams, an account has a few devices.
    public var callsPerAccount = 64
    /// Calls that a server runs at once for one address (of IPv6: one /64).
    public var callsPerAddress = 512
    /// Time a server gives for the handshake that opens a stream (protocol.md §6, "Proto handshake").
    public var streamHandshakeTimeout = Duration.seconds(10)

    /// Time for a message to arrive at a server, from the first byte of its call to its last. Ours: a message of the
    /// largest size needs some 200 KB/s.
    public var messageTime = Duration.seconds(10)
    /// How long a caller may take for the next ``answerPiece`` bytes of an answer.
    public var answerStall = Duration.seconds(10)
    /// How long a caller may take for a whole answer.
    public var answerTime = Duration.seconds(60)
    /// Answers that a connection may leave untaken before it is closed; the stream of each is closed at once.
    public var untakenAnswers = 3

    /// Bytes of an answer that are handed to a stream at once.
    public static let answerPiece = 64 * 1024

    /// The defaults named at each property.
    public init() {}
}
