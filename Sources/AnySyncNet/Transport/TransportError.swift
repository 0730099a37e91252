public import AnySyncWire
public import PushCrypto

/// Why a connection could not be made, or a stream could not be used.
public enum TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No transport of this kind is in this build.
    case notSupported(ConnectionKind)
    /// Only encrypted kinds may be used with the peer, and no address is of one.
    case encryptionRequired(EncryptionReason)
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
    /// The peer has refused every protocol version we speak, `last` as its last answer; it is not dialled again before
    /// `retryAfter` has passed.
    case noCommonVersion(last: HandshakeFailure?, retryAfter: Duration)
    /// None of several addresses worked.
    case allAddressesFailed([DialFailure])
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

    public var description: String {
        switch self {
        case .notSupported(let kind): "\(kind) is not supported in this build"
        case .encryptionRequired(.required):
            "every address is of a kind that is not encrypted, which is not allowed; give one without a scheme, or a "
                + "quic:// or tls+yamux:// one"
        case .encryptionRequired(.spokenBefore):
            "the peer has spoken an encrypted kind before, so bare yamux is not used with it any more; give an address "
                + "without a scheme, or a quic:// or tls+yamux:// one"
        case .cannotResolve(let host, let reason): "cannot resolve \(host): \(reason)"
        case .cannotConnect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        case .deadlineExceeded(let stage): "\(stage.rawValue) took too long"
        case .tls(let error): "\(error)"
        case .certificate(let error): "\(error)"
        case .wrongPeer(let expected, let found):
            "expected peer \(expected), found peer \(found); check the peer id configured for this address"
        case .handshake(let failure): "\(failure)"
        // Without the time: this is kept and shown while that passes.
        case .noCommonVersion(let last, _):
            "the peer takes none of our protocol versions; one side must be updated" + (last.map { " (\($0))" } ?? "")
        case .allAddressesFailed(let failures):
            failures.isEmpty
                ? "no address to dial"
                : failures.map { "\($0.address): \($0.error)" }.joined(separator: "; ")
        case .closed(let reason, let detail):
            "the connection has ended: \(reason.rawValue)" + (detail.isEmpty ? "" : " (\(detail))")
        case .streamReset: "the stream has ended"
        case .tooManyStreams: "too many streams are open on the connection"
        case .cancelled: "cancelled"
        }
    }
}
