internal import COpenSSL
internal import ProtoWire
public import PushCrypto

/// Judges the certificate that a peer presents and tells who the peer is (protocol.md §5, "libp2p TLS").
///
/// Works on DER and knows no TLS library, so every transport judges by the same code.
public enum CertificateVerifier {
    /// Checks a certificate chain as the peer sent it.
    ///
    /// - Parameters:
    ///   - chain: each certificate in DER; exactly one is right.
    ///   - now: the time, in seconds since 1970.
    /// - Returns: the peer that the certificate proves.
    /// - Throws: ``CertificateError``.
    public static func verify(_ chain: [[UInt8]], now: Int64) throws(CertificateError) -> PeerId {
        guard let der = chain.first, chain.count == 1 else { throw .chainLength(found: chain.count) }
        let fields = try CertificateFields(der: der)
        try checkAlgorithms(fields)
        try checkExtensions(fields)
        guard fields.notBefore <= now else { throw .notYetValid(from: fields.notBefore, now: now) }
        guard now <= fields.notAfter else { throw .expired(until: fields.notAfter, now: now) }
        guard let hostKeyExtension = fields.hostKeyExtension else { throw .extensionMissing }
        let signed = try SignedKey(hostKeyExtension.value)
        let hostKey = try signed.hostKey()
        guard hostKey.isValidSignature(signed.signature, for: signedPrefix + fields.publicKeyInfo) else {
            throw .hostSignatureInvalid
        }
        // Last, because it costs the most.
        guard isSelfSigned(fields) else { throw .selfSignatureInvalid }
        return PeerId(publicKey: hostKey)
    }

    /// What precedes the SubjectPublicKeyInfo in the message that the host key signs.
    package static let signedPrefix = Array("libp2p-tls-handshake:".utf8)

    private static func checkAlgorithms(_ fields: CertificateFields) throws(CertificateError) {
        switch (fields.keyAlgorithm, fields.curve) {
        case (.ed25519, nil):
            guard fields.signatureAlgorithm == .ed25519 else {
                throw .unsupportedSignature("\(fields.signatureAlgorithm)")
            }
        case (.ecPublicKey, .some(.p256)), (.ecPublicKey, .some(.p384)), (.ecPublicKey, .some(.p521)):
            guard digest(of: fields.signatureAlgorithm) != nil else {
                throw .unsupportedSignature("\(fields.signatureAlgorithm)")
            }
        case (.ecPublicKey, let curve):
            throw .unsupportedKey(curve.map { "\(fields.keyAlgorithm) with curve \($0)" } ?? "\(fields.keyAlgorithm)")
        default:
            throw .unsupportedKey("\(fields.keyAlgorithm)")
        }
    }

    private static func checkExtensions(_ fields: CertificateFields) throws(CertificateError) {
        // They limit what a certificate may be used for; in this network it is used for one thing.
        let known: Set<OID> = [
            .libp2pPublicKey, .keyUsage, .extendedKeyUsage, .basicConstraints, .subjectAlternativeName,
        ]
        for entry in fields.extensions where entry.isCritical && !known.contains(entry.oid) {
            throw .unknownCriticalExtension("\(entry.oid)")
        }
    }

    private static func digest(of algorithm: OID) -> OpaquePointer? {
        switch algorithm {
        case .ecdsaWithSHA256: EVP_sha256()
        case .ecdsaWithSHA384: EVP_sha384()
        case .ecdsaWithSHA512: EVP_sha512()
        default: nil
        }
    }

    private static func isSelfSigned(_ fields: CertificateFields) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        defer { ERR_clear_error() }
        let key = fields.publicKeyInfo.withUnsafeBufferPointer { info in
            var position = info.baseAddress
            return d2i_PUBKEY(nil, &position, info.count)
        }
        guard let key else { return false }
        defer { EVP_PKEY_free(key) }
        guard EVP_DigestVerifyInit(context, nil, digest(of: fields.signatureAlgorithm), nil, key) == 1 else {
            return false
        }
        return fields.signature.withUnsafeBufferPointer { signature in
            fields.signedPart.withUnsafeBufferPointer { signed in
                EVP_DigestVerify(context, signature.baseAddress, signature.count, signed.baseAddress, signed.count)
            }
        } == 1
    }
}

/// The value of the libp2p extension: `SEQUENCE { OCTET STRING publicKey, OCTET STRING signature }`.
private struct SignedKey {
    let publicKey: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    init(_ der: ArraySlice<UInt8>) throws(CertificateError) {
        do throws(DERReader.Malformed) {
            var outer = DERReader(der)
            var sequence = try outer.enter(DERReader.Tag.sequence)
            try outer.end()
            publicKey = try sequence.next(DERReader.Tag.octetString).content
            signature = try sequence.next(DERReader.Tag.octetString).content
            try sequence.end()
        } catch {
            throw .extensionMalformed("expected a sequence of two octet strings")
        }
    }

    /// The key of libp2p's `PublicKey { Type:1 enum, Data:2 bytes }`.
    func hostKey() throws(CertificateError) -> PublicKey {
        var type: Int32?
        var data: ArraySlice<UInt8>?
        do throws(ProtoError) {
            var reader = ProtoReader(publicKey)
            while let field = try reader.nextField() {
                switch field {
                case 1: type = try reader.int32()
                case 2: data = try reader.slice()
                default: try reader.skip()
                }
            }
        } catch {
            throw .extensionMalformed("the public key is no protobuf message")
        }
        guard let type, let data else { throw .extensionMalformed("the public key has no type or no data") }
        switch type {
        case 0: throw .unsupportedHostKey(.rsa)
        case 1: break
        case 2: throw .unsupportedHostKey(.secp256k1)
        case 3: throw .unsupportedHostKey(.ecdsa)
        default: throw .unsupportedHostKey(.unknown(type))
        }
        do {
            return try PublicKey(rawRepresentation: data)
        } catch {
            throw .extensionMalformed("the public key is no Ed25519 key")
        }
    }
}
