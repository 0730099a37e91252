/// What has happened in a ``QUICSession``, in order.
enum QUICEvent {
    /// TLS is done and the peer's certificate accepted. At a dialer the listener may still refuse ours.
    case handshakeCompleted
    /// The peer has opened a stream.
    case streamOpened(Int64)
    /// Bytes of a stream, maybe none, maybe its last.
    case data(Int64, [UInt8], isLast: Bool)
    /// The peer has ended its direction of a stream early, with an application's code.
    case streamReset(Int64, code: UInt64)
    /// The peer takes no more on a stream.
    case writingStopped(Int64)
    /// Both directions of a stream are over, and the peer knows.
    case streamClosed(Int64)
    /// The peer may use another id of ours.
    case idAdded(ConnectionId)
    /// The peer uses an id of ours no more.
    case idRemoved(ConnectionId)
}

/// How a ``QUICSession`` came to its end.
enum QUICEnding {
    /// The peer has closed it.
    case closedByPeer(PeerClose)
    /// The peer broke a rule, or TLS failed; the code of the transport.
    case failed(code: UInt64)
    /// The peer must prove its address first.
    case needsRetry
    /// What arrived begins no connection.
    case dropped
    /// The peer has been silent for the idle timeout.
    case idle
    /// The handshake took too long.
    case handshakeTimeout
    /// The peer speaks other versions of QUIC.
    case otherVersions
    /// The library holds more memory for the connection than is granted.
    case memoryExceeded
    /// This side closed it.
    case closedLocally
    /// The system refuses to carry datagrams to the peer; libuv's code.
    case unreachable(code: Int32)
    /// The event loop is shutting down.
    case loopStopped
}

/// What a peer said when it closed a connection.
struct PeerClose {
    let isApplication: Bool
    let code: UInt64
    /// A few printable words, not to be trusted.
    let reason: String
    /// The peer knows nothing of the connection.
    let isStatelessReset: Bool
}
