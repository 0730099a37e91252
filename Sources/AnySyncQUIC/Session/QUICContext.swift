internal import AnySyncNet
internal import CQUIC
internal import PushCrypto

/// What the QUIC sessions of one identity have in common: our certificate, the TLS configuration, and the secrets
/// behind retry tokens and stateless resets.
///
/// Unchecked because C pointers are not Sendable: the context is complete before `init` returns and only read after
/// it, which the library allows from several threads.
final class QUICContext: @unchecked Sendable {
    let raw: OpaquePointer

    /// - Parameters:
    ///   - certificate: what every connection presents.
    ///   - peerKey: what the secret of stateless resets is derived from, so that a listener that has restarted can
    ///     still tell its old peers that their connections are gone.
    init(certificate: HostCertificate, peerKey: SigningKey) throws(TLSError) {
        var key = certificate.privateKey()
        // Ed25519 is deterministic, and nobody else can make or has seen the signature of this text.
        var secret = peerKey.signature(for: Self.resetLabel)
        defer {
            Sodium.zero(&key)
            Sodium.zero(&secret)
        }
        let chain = certificate.chain
        let raw = cquic_context_new(
            chain.flatMap { $0 }, chain.map(\.count), chain.count, key, key.count, secret, secret.count)
        guard let raw else { throw .unavailable("QUIC credentials") }
        self.raw = raw
    }

    deinit {
        cquic_context_free(raw)
    }

    private static let resetLabel = Array("anypush: secret of QUIC stateless resets, version 1".utf8)
}
