/// Why a connection, or an attempt at one, ended. The raw value is its label in counters and logs.
public enum CloseReason: String, Hashable, Sendable, CaseIterable {
    /// This side closed it in the ordinary course.
    case local
    /// The process is shutting its transports down.
    case shutDown = "shut_down"
    /// The peer closed its side of the socket.
    case peerClosed = "peer_closed"
    /// The socket failed: reset, unreachable, timed out by the kernel.
    case socketError = "socket_error"
    /// The peer sent a go away with an error code.
    case goAway = "go_away"
    /// The peer broke the multiplexer's rules.
    case protocolViolation = "protocol_violation"
    /// The peer did not answer a keep-alive ping in time.
    case pingTimeout = "ping_timeout"
    /// Nothing was asked for too long.
    case idle
    /// A newer connection of the same peer took its place.
    case replaced
    /// The peer makes us answer but does not take the answers.
    case outputOverflow = "output_overflow"
    /// More bytes wait for the streams' readers than one connection may hold.
    case inputOverflow = "input_overflow"
    /// More is held for it than its share, or it held the most when memory for peers was short.
    case overShare = "over_share"
    /// The handshake did not end in time.
    case handshakeTimeout = "handshake_timeout"
    /// TLS failed: see ``TLSError``.
    case tlsFailed = "tls_failed"
    /// The peer's certificate was refused: see ``CertificateError``.
    case certificateRefused = "certificate_refused"
    /// The credential handshake failed.
    case credentialsRefused = "credentials_refused"
    /// It was one of too many unfinished handshakes.
    case handshakesShed = "handshakes_shed"
    /// It was idle, or not proven, and made room for another.
    case crowdedOut = "crowded_out"
    /// The process has no descriptor for it.
    case noDescriptor = "no_descriptor"
    /// The process holds as many connections as it may.
    case tooManyConnections = "too_many_connections"
}
