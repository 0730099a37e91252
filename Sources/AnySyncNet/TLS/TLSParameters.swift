internal import COpenSSL

/// How every TLS session of this process is set up (protocol.md §5, "libp2p TLS").
package enum TLSParameters {
    /// TLS 1.3, the only version that both sides may speak.
    package static let protocolVersion = TLS1_3_VERSION
    /// Tickets that a listener sends: none, since a peer on the bare socket would take one for a yamux frame.
    package static let sessionTickets = 0
    /// Either side must present a certificate.
    static let verification = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT

    /// Whether a dialer without a certificate is refused.
    package static var requiresDialerCertificate: Bool {
        verification & SSL_VERIFY_FAIL_IF_NO_PEER_CERT != 0
    }
}
