internal import COpenSSL

/// What the TLS sessions of one identity have in common: TLS 1.3 only, X25519, our certificate, no tickets, no names
/// (protocol.md §5, "libp2p TLS").
///
/// Unchecked because C pointers are not Sendable: the context is complete before `init` returns, and OpenSSL lets several
/// threads make sessions from it.
final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    // The context refers to it.
    let certificate: HostCertificate

    /// TLS 1.3, the one version that both sides may speak.
    static let protocolVersion = TLS1_3_VERSION

    init(certificate: HostCertificate) throws(TLSError) {
        guard let context = SSL_CTX_new(TLS_method()) else { throw .unavailable("context") }
        self.context = context
        self.certificate = certificate
        let isReady =
            copenssl_ctx_set_tls13_only(context) == 1
            && copenssl_ctx_set_groups(context, "X25519") == 1
            && SSL_CTX_set_num_tickets(context, 0) == 1
            && certificate.use(in: context)
        guard isReady else {
            ERR_clear_error()
            throw .unavailable("configuration")
        }
        copenssl_ctx_set_release_buffers(context)
        copenssl_ctx_no_session_cache(context)
        // One small certificate is all that a peer may send; more is refused by its count.
        copenssl_ctx_set_max_cert_list(context, Self.maximumCertificateBytes)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, { store, _ in TLSSession.verify(store) }, nil)
        SSL_CTX_set_alpn_select_cb(
            context, { ssl, output, length, input, count, _ in TLSSession.selectProtocol(ssl, output, length, input, count) },
            nil)
    }

    deinit {
        SSL_CTX_free(context)
    }

    private static let maximumCertificateBytes = 16 * 1024

    func makeSession() -> OpaquePointer? {
        SSL_new(context)
    }
}
