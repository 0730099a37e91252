public import PushCrypto

/// An authenticated connection to one peer, whatever transport carries it.
///
/// The TLS and the credential handshake are behind it: ``remotePeerId`` and ``remoteIdentity`` are proven.
public protocol Connection: AnyObject, Sendable {
    /// The device at the other end, proven by its certificate.
    var remotePeerId: PeerId { get }
    /// The account at the other end, proven by its credentials.
    var remoteIdentity: PublicKey { get }
    /// The protocol version both sides agreed on (protocol.md §6).
    var version: UInt32 { get }
    /// The peer's `clientVersion` text, for logs; not to be trusted.
    var remoteClientVersion: String { get }
    /// The socket address at the other end, for logs.
    var remoteAddress: String { get }
    /// The transport; says whether bytes are encrypted on the path.
    var kind: ConnectionKind { get }
    /// The loop that runs this connection. An actor on the same loop calls it without a thread hop.
    var eventLoop: EventLoop { get }

    /// Opens a stream toward the peer.
    ///
    /// - Throws: ``TransportError/tooManyStreams``, ``TransportError/closed(_:detail:)``.
    func openStream() async throws(TransportError) -> any ByteStream

    /// Waits for the next stream that the peer opens.
    ///
    /// - Returns: the stream, or `nil` once the connection is closed or the waiting task cancelled.
    func nextStream() async -> (any ByteStream)?

    /// Closes the connection and everything on it at once.
    ///
    /// - Parameter reason: counted, and thrown by everything that still waits on the connection.
    func close(_ reason: CloseReason) async

    /// Waits until the connection has ended, or the task is cancelled.
    ///
    /// - Returns: why it ended; `nil` if the task was cancelled first.
    func waitUntilClosed() async -> CloseReason?

    /// What the connection is doing now.
    var status: ConnectionStatus { get async }
}

extension Connection {
    /// Whether what streams carry is encrypted on the path.
    public var isEncrypted: Bool {
        kind.isEncrypted
    }
}

/// A snapshot of a connection for a status page.
public struct ConnectionStatus: Hashable, Sendable {
    /// Streams open in either direction.
    public var openStreams: Int
    /// Bytes read from the socket since the connection was established.
    public var bytesReceived: UInt64
    /// Bytes handed to the socket since then.
    public var bytesSent: UInt64
    /// Bytes waiting to be sent.
    public var queuedBytes: Int
    /// How long ago the connection was established.
    public var age: Duration
    /// Why it ended, `nil` while it is open.
    public var closed: CloseReason?

    package init(
        openStreams: Int, bytesReceived: UInt64, bytesSent: UInt64, queuedBytes: Int, age: Duration,
        closed: CloseReason?
    ) {
        self.openStreams = openStreams
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.queuedBytes = queuedBytes
        self.age = age
        self.closed = closed
    }
}
