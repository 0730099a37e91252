/// Why a peer's certificate was refused (protocol.md §5, "libp2p TLS").
public enum CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer must present exactly one certificate.
    case chainLength(found: Int)
    /// The certificate is no X.509 certificate in DER: this part is malformed.
    case malformed(String)
    /// The certificate's own key is neither ECDSA (P-256, P-384, P-521) nor Ed25519, but of this object identifier.
    case unsupportedKey(String)
    /// The certificate is signed with another algorithm than its key's.
    case unsupportedSignature(String)
    /// A critical extension that we do not know, by its object identifier.
    case unknownCriticalExtension(String)
    /// The validity period begins later, in seconds since 1970.
    case notYetValid(from: Int64, now: Int64)
    /// The validity period is over, in seconds since 1970.
    case expired(until: Int64, now: Int64)
    /// The certificate is not signed with its own key.
    case selfSignatureInvalid
    /// The extension with the host key is missing.
    case extensionMissing
    /// The extension with the host key is malformed: this part.
    case extensionMalformed(String)
    /// The host key is of a type that this network does not use.
    case unsupportedHostKey(HostKeyType)
    /// The host key's signature is not over this certificate's key.
    case hostSignatureInvalid

    /// The key types of libp2p.
    public enum HostKeyType: Hashable, Sendable {
        case rsa
        case secp256k1
        case ecdsa
        case unknown(Int32)
    }

    public var description: String {
        switch self {
        case .chainLength(let found): "certificate refused: expected exactly one, the peer sent \(found)"
        case .malformed(let part): "certificate refused: malformed \(part)"
        case .unsupportedKey(let algorithm):
            "certificate refused: expected an ECDSA or Ed25519 key, found algorithm \(algorithm)"
        case .unsupportedSignature(let algorithm):
            "certificate refused: expected a signature by its own ECDSA or Ed25519 key, found algorithm \(algorithm)"
        case .unknownCriticalExtension(let oid): "certificate refused: unknown critical extension \(oid)"
        case .notYetValid(let from, let now):
            "certificate refused: valid from \(from), now is \(now); check the clocks of both machines"
        case .expired(let until, let now):
            "certificate refused: valid until \(until), now is \(now); check the clocks of both machines"
        case .selfSignatureInvalid: "certificate refused: it is not signed with its own key"
        case .extensionMissing: "certificate refused: no libp2p public key extension \(OID.libp2pPublicKey)"
        case .extensionMalformed(let part): "certificate refused: malformed libp2p extension: \(part)"
        case .unsupportedHostKey(let type): "certificate refused: unsupported key type \(type), expected Ed25519"
        case .hostSignatureInvalid: "certificate refused: the host key did not sign this certificate's key"
        }
    }
}
