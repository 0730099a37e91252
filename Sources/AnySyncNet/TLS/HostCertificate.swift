internal import COpenSSL
internal import Glibc
public import PushCrypto

/// A certificate that this process presents, with its private key: for each identity one at a time, used for every
/// connection that begins meanwhile (protocol.md §5, "libp2p TLS").
///
/// The private key lives inside OpenSSL and dies with this value. Unchecked because C pointers are not Sendable: both
/// objects are complete before `init` returns and only read after it, which OpenSSL allows from several threads.
public final class HostCertificate: @unchecked Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The peer that it proves.
    public let peerId: PeerId
    /// What is presented, in DER: this certificate, unless a test says otherwise.
    package let chain: [[UInt8]]
    private let certificates: [OpaquePointer]
    private let key: OpaquePointer

    /// Makes a certificate with a fresh ECDSA P-256 key.
    ///
    /// - Parameters:
    ///   - peerKey: the host key, whose peer id the certificate proves.
    ///   - now: the time, in seconds since 1970; the certificate is valid from an hour before and for 100 years.
    /// - Throws: ``HostCertificateError`` when OpenSSL cannot do it.
    public convenience init(peerKey: SigningKey, now: Int64) throws(HostCertificateError) {
        try self.init(peerKey: peerKey, validFrom: now - 3600, until: now + 100 * 365 * 86400)
    }

    /// A certificate with any validity period, for tests of the other side.
    package init(peerKey: SigningKey, validFrom: Int64, until: Int64) throws(HostCertificateError) {
        guard let key = copenssl_new_p256_key() else { throw HostCertificateError(step: "making a P-256 key") }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw HostCertificateError(step: "making a certificate")
        }
        (self.key, certificates) = (key, [certificate])
        peerId = PeerId(publicKey: peerKey.publicKey)
        let filled = Self.fill(certificate, key: key, peerKey: peerKey, validFrom: validFrom, until: until)
        der = Self.der { i2d_X509(certificate, $0) }
        chain = [der]
        ERR_clear_error()
        guard filled, !der.isEmpty else { throw HostCertificateError(step: "signing a certificate") }
    }

    /// A certificate as a misbehaving peer might present it, for tests of the other side.
    ///
    /// - Parameters:
    ///   - chain: what is presented, each in DER: none, one or several.
    ///   - privateKey: the first one's key in DER.
    ///   - peerId: the peer that it claims to prove.
    package init(chain: [[UInt8]], privateKey: [UInt8], peerId: PeerId) throws(HostCertificateError) {
        let key = privateKey.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &position, bytes.count)
        }
        guard let key else { throw HostCertificateError(step: "reading a private key") }
        self.key = key
        self.chain = chain
        self.peerId = peerId
        der = chain.first ?? []
        certificates = chain.compactMap { der in
            der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                return d2i_X509(nil, &position, bytes.count)
            }
        }
        guard certificates.count == chain.count else { throw HostCertificateError(step: "reading a certificate") }
    }

    deinit {
        for certificate in certificates { X509_free(certificate) }
        EVP_PKEY_free(key)
    }

    /// Has a TLS context present the certificate.
    func use(in context: OpaquePointer) -> Bool {
        guard let first = certificates.first else { return true }
        return SSL_CTX_use_certificate(context, first) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1
            && certificates.dropFirst().allSatisfy {
                SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer($0)) == 1
            }
    }

    /// The private key in DER, for a transport whose TLS library is another one. The caller zeroes it.
    package func privateKey() -> [UInt8] {
        Self.der { i2d_PrivateKey(key, $0) }
    }

    private static func fill(
        _ certificate: OpaquePointer, key: OpaquePointer, peerKey: SigningKey, validFrom: Int64, until: Int64
    ) -> Bool {
        let info = der { i2d_PUBKEY(key, $0) }
        let signature = peerKey.signature(for: CertificateVerifier.signedPrefix + info)
        let peerId = PeerId(publicKey: peerKey.publicKey)
        let content = octetString(peerId.libp2pPublicKey) + octetString(signature)
        let value: [UInt8] = [DERReader.Tag.sequence, UInt8(content.count)] + content
        return X509_set_version(certificate, 2) == 1
            && setSerial(of: certificate)
            && setTime(X509_getm_notBefore(certificate), validFrom)
            && setTime(X509_getm_notAfter(certificate), until)
            && setName(of: certificate)
            && X509_set_pubkey(certificate, key) == 1
            && add(value, to: certificate)
            && X509_sign(certificate, key, EVP_sha256()) > 0
    }

    // Both parts are far below 128 bytes, so each length is one byte.
    private static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        [DERReader.Tag.octetString, UInt8(bytes.count)] + bytes
    }

    private static func setSerial(of certificate: OpaquePointer) -> Bool {
        let number = UInt64.random(in: 1...UInt64(Int64.max))
        return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number) == 1
    }

    private static func setTime(_ field: UnsafeMutablePointer<ASN1_TIME>?, _ seconds: Int64) -> Bool {
        ASN1_TIME_set(field, time_t(seconds)) != nil
    }

    /// A name that says nothing: libp2p ignores it, but an empty issuer is not allowed (RFC 5280 §4.1.2.4).
    private static func setName(of certificate: OpaquePointer) -> Bool {
        let name = X509_get_subject_name(certificate)
        let text = Array(String(UInt64.random(in: 1...UInt64(Int64.max))).utf8)
        return X509_NAME_add_entry_by_NID(name, NID_serialNumber, MBSTRING_ASC, text, Int32(text.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }

    private static func add(_ value: [UInt8], to certificate: OpaquePointer) -> Bool {
        guard
            let oid = OBJ_txt2obj("\(OID.libp2pPublicKey)", 1),
            let data = ASN1_OCTET_STRING_new()
        else { return false }
        defer { ASN1_OBJECT_free(oid) }
        defer { ASN1_OCTET_STRING_free(data) }
        guard
            ASN1_OCTET_STRING_set(data, value, Int32(value.count)) == 1,
            let entry = X509_EXTENSION_create_by_OBJ(nil, oid, 0, data)
        else { return false }
        defer { X509_EXTENSION_free(entry) }
        return X509_add_ext(certificate, entry, -1) == 1
    }

    /// What an `i2d_…` function writes.
    private static func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = Int(encode(nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var position = buffer.baseAddress
            filled = Int(max(0, encode(&position)))
        }
    }
}

/// OpenSSL could not make a certificate: out of memory or randomness, or a build without P-256.
public struct HostCertificateError: Error, Hashable, Sendable {
    /// What failed.
    public let step: String
}
