public import AnySyncWire
public import PushCrypto

/// Why a connection could not be made, or a stream could not be used.
public enum TransportError: Error, Hashable, Sendable {
    /// No transport of this kind is in this build.
    case notSupported(ConnectionKind)
    /// The host name has no address.
    case cannotResolve(host: String, reason: String)
    /// No address of the host took the connection; the reason is that of the last one tried.
    case cannotConnect(address: String, reason: String)
    /// The address could not be bound.
    case cannotListen(address: String, reason: String)
    /// The deadline passed at this stage.
    case deadlineExceeded(Stage)
    /// TLS failed or the peer refused it.
    case tls(TLSError)
    /// The peer's certificate was refused.
    case certificate(CertificateError)
    /// Somebody else answered at the address.
    case wrongPeer(expected: PeerId, found: PeerId)
    /// The credential handshake failed.
    case handshake(HandshakeFailure)
    /// The peer has refused every protocol version we speak; it is not dialled again before `retryAfter` has passed.
    case noCommonVersion(retryAfter: Duration)
    /// The connection has ended.
    case closed(CloseReason, detail: String)
    /// The stream was reset by either side.
    case streamReset
    /// The connection has as many open streams as it may.
    case tooManyStreams
    /// The task that waited was cancelled.
    case cancelled

    /// Where time ran out.
    public enum Stage: String, Hashable, Sendable {
        case resolving, connecting, handshake
    }
}
