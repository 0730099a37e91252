import COpenSSL
import PushCrypto

@testable import AnySyncNet

/// Builds certificates as a peer might, right ones and wrong ones, by writing their DER.
struct TestCertificate {
    enum Key {
        case p256, p384, secp256k1, ed25519, rsa
    }

    var hostKey = SigningKey()
    var key = Key.p256
    var validity: (from: String, until: String) = ("20200101000000Z", "21200101000000Z")
    /// What the host key signs; `nil` is what it should.
    var signedMessage: (([UInt8]) -> [UInt8])?
    /// The libp2p extension's value; `nil` is the right one.
    var extensionValue: [UInt8]?
    var extensionCount = 1
    var isCritical = false
    /// Further extensions, as DER.
    var moreExtensions: [[UInt8]] = []
    var isSignedByOtherKey = false
    var version: UInt8 = 2

    /// 2020-01-01 and 2026-01-01 in seconds since 1970.
    static let now: Int64 = 1_767_225_600

    /// The certificate in DER.
    func build() throws -> [UInt8] {
        try buildWithKey().der
    }

    /// What an endpoint presents: this certificate, none, or several copies of it.
    func hostCertificate(copies: Int = 1) throws -> HostCertificate {
        let (der, key) = try buildWithKey()
        return try HostCertificate(
            chain: [[UInt8]](repeating: der, count: copies), privateKey: key,
            peerId: PeerId(publicKey: hostKey.publicKey))
    }

    private func buildWithKey() throws -> (der: [UInt8], key: [UInt8]) {
        let pair = try OpenSSLKey(key)
        defer { pair.free() }
        let signer = isSignedByOtherKey ? try OpenSSLKey(key) : pair
        defer { if isSignedByOtherKey { signer.free() } }
        let spki = pair.publicKeyInfo()
        let message = signedMessage?(spki) ?? (Array("libp2p-tls-handshake:".utf8) + spki)
        let value =
            extensionValue
            ?? Self.sequence([
                Self.element(0x04, PeerId(publicKey: hostKey.publicKey).libp2pPublicKey),
                Self.element(0x04, hostKey.signature(for: message)),
            ])
        let host = Self.extension(oid: [0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xa2, 0x5a, 0x01, 0x01], isCritical, value)
        let extensions = [[UInt8]](repeating: host, count: extensionCount) + moreExtensions
        let body = Self.sequence([
            Self.element(0xa0, Self.element(0x02, [version])),
            Self.element(0x02, [7]),
            signer.algorithm,
            Self.sequence([]),
            Self.sequence([
                Self.element(0x18, Array(validity.from.utf8)), Self.element(0x18, Array(validity.until.utf8)),
            ]),
            Self.sequence([]),
            spki,
            Self.element(0xa3, Self.sequence(extensions)),
        ])
        let der = Self.sequence([body, signer.algorithm, Self.element(0x03, [0] + signer.sign(body))])
        return (der, pair.privateKey())
    }

    /// A certificate whose host key is of another type of libp2p's, by its number.
    static func withHostKey(type: UInt8) -> TestCertificate {
        var certificate = TestCertificate()
        certificate.extensionValue = signedKey([0x08, type, 0x12, 1, 0])
        return certificate
    }

    /// The libp2p extension's value with any key and no good signature.
    static func signedKey(_ key: [UInt8]) -> [UInt8] {
        sequence([element(0x04, key), element(0x04, [UInt8](repeating: 0, count: 64))])
    }

    static func `extension`(oid: [UInt8], _ isCritical: Bool, _ value: [UInt8]) -> [UInt8] {
        sequence([element(0x06, oid)] + (isCritical ? [element(0x01, [0xff])] : []) + [element(0x04, value)])
    }

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        element(0x30, parts.flatMap { $0 })
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<0x80: [tag, UInt8(content.count)] + content
        case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
        }
    }
}

/// A key pair inside OpenSSL; its holder frees it.
private struct OpenSSLKey {
    private let key: OpaquePointer
    private let isEd25519: Bool
    /// The signature algorithm, as DER.
    let algorithm: [UInt8]

    init(_ kind: TestCertificate.Key) throws {
        let made: OpaquePointer? =
            switch kind {
            case .p256: copenssl_new_p256_key()
            case .p384: Self.curve("P-384")
            case .secp256k1: Self.curve("secp256k1")
            case .ed25519: Self.generate(EVP_PKEY_ED25519)
            case .rsa: Self.generate(EVP_PKEY_RSA)
            }
        key = try made ?? { throw TestFailure("OpenSSL makes no such key") }()
        isEd25519 = kind == .ed25519
        let oid: [UInt8] =
            switch kind {
            case .ed25519: [0x2b, 0x65, 0x70]
            case .rsa: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]
            default: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
            }
        algorithm = TestCertificate.sequence([TestCertificate.element(0x06, oid)])
    }

    func free() {
        EVP_PKEY_free(key)
    }

    private static func generate(_ type: Int32) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1 else { return nil }
        return key
    }

    private static func curve(_ name: String) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard
            EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, name) == 1,
            EVP_PKEY_keygen(context, &key) == 1
        else { return nil }
        return key
    }

    func publicKeyInfo() -> [UInt8] {
        let count = Int(i2d_PUBKEY(key, nil))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var position = buffer.baseAddress
            filled = Int(i2d_PUBKEY(key, &position))
        }
    }

    func privateKey() -> [UInt8] {
        let count = Int(i2d_PrivateKey(key, nil))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var position = buffer.baseAddress
            filled = Int(i2d_PrivateKey(key, &position))
        }
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestSignInit(context, nil, isEd25519 ? nil : EVP_sha256(), nil, key)
        var count = 512
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count)
            filled = count
        }
    }
}
