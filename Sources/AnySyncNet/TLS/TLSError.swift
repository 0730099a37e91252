internal import COpenSSL

/// Why a TLS session failed.
public enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer ended the session with this alert (RFC 8446 §6).
    case refusedByPeer(alert: UInt8)
    /// The peer ended the session in good order before the handshakes were done.
    case endedByPeer
    /// The peer does not speak TLS: the first byte of a record is this.
    case notTLS(firstByte: UInt8)
    /// A record is longer than TLS allows, in bytes.
    case recordTooLong(limit: Int, found: Int)
    /// More bytes than both handshakes can need.
    case handshakeTooLong(limit: Int)
    /// The peer presented no certificate.
    case noCertificate
    /// The application protocol of the session is not one asked for; `nil` is none.
    case applicationProtocol(found: String?)
    /// The peer sent data inside TLS before our credentials, which come first.
    case dataBeforeCredentials
    /// The peer sent data inside TLS after the last handshake message, where the session changes to the bare socket.
    case dataAfterHandshake
    /// OpenSSL refused what the peer sent, for this reason.
    case failed(String)
    /// OpenSSL could not be set up.
    case unavailable(String)

    public var description: String {
        switch self {
        case .refusedByPeer(let alert):
            switch Int32(alert) {
            case TLS1_AD_NO_APPLICATION_PROTOCOL:
                "tls: the peer does not offer this connection kind (alert no_application_protocol)"
            case SSL3_AD_BAD_CERTIFICATE, TLS1_AD_UNKNOWN_CA, SSL3_AD_CERTIFICATE_UNKNOWN:
                "tls: the peer refused our certificate (alert \(alert))"
            case SSL3_AD_CERTIFICATE_EXPIRED:
                "tls: the peer says that our certificate is not valid now (alert \(alert)); check both clocks"
            default:
                "tls: the peer refused with alert \(alert), \(String(cString: SSL_alert_desc_string_long(Int32(alert))))"
            }
        case .endedByPeer: "tls: the peer ended the session before the handshakes were done"
        case .notTLS(let byte): "tls: expected a TLS record, the peer sent a byte \(byte) at its start"
        case .recordTooLong(let limit, let found): "tls: a record may have \(limit) bytes, the peer announced \(found)"
        case .handshakeTooLong(let limit): "tls: the handshakes may take \(limit) bytes, the peer sends more"
        case .noCertificate: "tls: the peer presented no certificate"
        case .applicationProtocol(let found):
            "tls: the peer chose application protocol \(found.map { "\"\($0)\"" } ?? "none"), which was not asked for"
        case .dataBeforeCredentials: "tls: the peer sent data inside TLS before our credentials, which come first"
        case .dataAfterHandshake: "tls: the peer sent data inside TLS after the last handshake message"
        case .failed(let reason): "tls: \(reason)"
        case .unavailable(let step): "tls: OpenSSL cannot be set up: \(step)"
        }
    }
}
