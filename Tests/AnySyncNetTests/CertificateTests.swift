import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

@Suite struct CertificateTests {
    private func verdict(_ certificate: TestCertificate) throws -> CertificateError? {
        do {
            let peer = try CertificateVerifier.verify([certificate.build()], now: TestCertificate.now)
            #expect(peer.publicKey == certificate.hostKey.publicKey)
            return nil
        } catch let error as CertificateError {
            return error
        }
    }

    private func verdict(_ change: (inout TestCertificate) -> Void) throws -> CertificateError? {
        var certificate = TestCertificate()
        change(&certificate)
        return try verdict(certificate)
    }

    @Test func theSpecificationsCertificates() throws {
        let vectors = OfficialVectors.blocks("libp2p-tls.txt")
        #expect(vectors.count == 4)
        for vector in vectors {
            let der = try vector.bytes("Certificate")
            switch try vector.text("HostKey") {
            case "Ed25519":
                let peer = try CertificateVerifier.verify([der], now: TestCertificate.now)
                #expect(try peer.text == vector.text("PeerId"))
            case "ECDSA":
                #expect(throws: CertificateError.unsupportedHostKey(.ecdsa)) {
                    try CertificateVerifier.verify([der], now: TestCertificate.now)
                }
            case "secp256k1":
                #expect(throws: CertificateError.unsupportedHostKey(.secp256k1)) {
                    try CertificateVerifier.verify([der], now: TestCertificate.now)
                }
            case let other: Issue.record("unknown host key \(other)")
            }
        }
    }

    @Test func ourOwnCertificateIsGood() throws {
        let peer = SigningKey()
        let certificate = try HostCertificate(peerKey: peer, now: 1_800_000_000)
        let fields = try CertificateFields(der: certificate.der)
        #expect(fields.notBefore == 1_800_000_000 - 3600)
        #expect(fields.notAfter == 1_800_000_000 + 100 * 365 * 86400)
        for time in [fields.notBefore, 1_800_000_000, fields.notAfter] {
            #expect(try CertificateVerifier.verify([certificate.der], now: time) == PeerId(publicKey: peer.publicKey))
        }
        #expect(certificate.peerId == PeerId(publicKey: peer.publicKey))
        #expect(try HostCertificate(peerKey: peer, now: 1_800_000_000).der != certificate.der)
    }

    @Test func goodForms() throws {
        #expect(try verdict { _ in } == nil)
        #expect(try verdict { $0.isCritical = true } == nil)
        #expect(try verdict { $0.key = .ed25519 } == nil)
        #expect(try verdict { $0.key = .p384 } == nil)
        // Extensions that limit what a certificate is for, and unknown ones that are not critical.
        let keyUsage = TestCertificate.extension(oid: [0x55, 0x1d, 0x0f], true, [0x03, 0x02, 0x07, 0x80])
        let unknown = TestCertificate.extension(oid: [0x2a, 0x03, 0x04], false, [1])
        #expect(try verdict { $0.moreExtensions = [keyUsage, unknown] } == nil)
    }

    @Test func theChainMustBeOneCertificate() throws {
        let der = try TestCertificate().build()
        #expect(throws: CertificateError.chainLength(found: 0)) { try CertificateVerifier.verify([], now: 0) }
        #expect(throws: CertificateError.chainLength(found: 2)) {
            try CertificateVerifier.verify([der, der], now: TestCertificate.now)
        }
    }

    @Test func theValidityPeriodCounts() throws {
        let der = try TestCertificate().build()
        let fields = try CertificateFields(der: der)
        #expect(fields.notBefore == 1_577_836_800)
        #expect(throws: CertificateError.notYetValid(from: fields.notBefore, now: fields.notBefore - 1)) {
            try CertificateVerifier.verify([der], now: fields.notBefore - 1)
        }
        #expect(throws: CertificateError.expired(until: fields.notAfter, now: fields.notAfter + 1)) {
            try CertificateVerifier.verify([der], now: fields.notAfter + 1)
        }
        for text in ["20200230000000Z", "20201301000000Z", "20200101240000Z", "20200101000000", "2020010100000Z"] {
            #expect(try verdict { $0.validity.from = text } == .malformed("validity"), "\(text)")
        }
    }

    @Test func theHostKeyMustSignThisKey() throws {
        #expect(try verdict { $0.signedMessage = { _ in [1, 2, 3] } } == .hostSignatureInvalid)
        // Without the prefix.
        #expect(try verdict { $0.signedMessage = { $0 } } == .hostSignatureInvalid)
    }

    @Test func theCertificateMustBeSelfSigned() throws {
        #expect(try verdict { $0.isSignedByOtherKey = true } == .selfSignatureInvalid)
        #expect(
            try verdict {
                $0.key = .ed25519
                $0.isSignedByOtherKey = true
            } == .selfSignatureInvalid)
    }

    @Test func keysOfOtherTypesAreNamed() throws {
        #expect(try verdict { $0.key = .rsa } == .unsupportedKey("1.2.840.113549.1.1.1"))
        #expect(try verdict { $0.key = .secp256k1 } == .unsupportedKey("1.2.840.10045.2.1 with curve 1.3.132.0.10"))
        for (type, expected): (UInt8, CertificateError.HostKeyType) in [
            (0, .rsa), (2, .secp256k1), (3, .ecdsa), (9, .unknown(9)),
        ] {
            #expect(try verdict(TestCertificate.withHostKey(type: type)) == .unsupportedHostKey(expected))
        }
    }

    @Test func theExtensionMustBeWellFormed() throws {
        #expect(try verdict { $0.extensionCount = 0 } == .extensionMissing)
        #expect(try verdict { $0.extensionCount = 2 } == .malformed("extensions"))
        let good = PeerId(publicKey: SigningKey().publicKey).libp2pPublicKey
        let malformed: [[UInt8]] = [
            [], [0x30, 0], [1, 2, 3], TestCertificate.signedKey(good) + [0], TestCertificate.signedKey([]),
            TestCertificate.signedKey([0x08, 1]),
            TestCertificate.signedKey([0x12, 1, 0]),
            TestCertificate.signedKey([0x08]), TestCertificate.signedKey(Array(good.dropLast())),
            TestCertificate.signedKey([0x08, 1, 0x12, 31] + [UInt8](repeating: 1, count: 31)),
        ]
        for value in malformed {
            let error = try verdict { $0.extensionValue = value }
            guard case .extensionMalformed = error else {
                Issue.record("\(value): expected extensionMalformed, found \(String(describing: error))")
                continue
            }
        }
    }

    @Test func unknownCriticalExtensionsAreRefused() throws {
        let unknown = TestCertificate.extension(oid: [0x2a, 0x03, 0x04], true, [1])
        #expect(try verdict { $0.moreExtensions = [unknown] } == .unknownCriticalExtension("1.2.3.4"))
        #expect(try verdict { $0.version = 1 } == .malformed("version"))
        let many = (0..<40).map { TestCertificate.extension(oid: [0x2a, 0x03, UInt8($0)], false, [1]) }
        #expect(try verdict { $0.moreExtensions = many } == .malformed("extensions"))
    }

    @Test func everyCutAndEveryFlippedBitIsRefused() throws {
        let der = try HostCertificate(peerKey: SigningKey(), now: TestCertificate.now).der
        for count in 0..<der.count {
            #expect(throws: CertificateError.self) {
                try CertificateVerifier.verify([Array(der.prefix(count))], now: TestCertificate.now)
            }
        }
        #expect(throws: CertificateError.malformed("outer structure")) {
            try CertificateVerifier.verify([der + [0]], now: TestCertificate.now)
        }
        for index in der.indices {
            var flipped = der
            flipped[index] ^= UInt8(1 << (index % 8))
            #expect(throws: CertificateError.self, "bit \(index % 8) of byte \(index)") {
                try CertificateVerifier.verify([flipped], now: TestCertificate.now)
            }
        }
    }

    @Test func lengthsMustBeInTheirShortestForm() throws {
        let malformed: [[UInt8]] = [
            [0x30, 0x80, 0, 0], [0x30, 0x81, 0x01, 0], [0x30, 0x82, 0, 0x80], [0x30, 0x85, 1, 0, 0, 0, 0],
            [0x1f, 0x00],
            [0x30], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        ]
        for bytes in malformed {
            #expect(throws: DERReader.Malformed.self, "\(bytes)") {
                var reader = DERReader(bytes[...])
                _ = try reader.next()
            }
        }
    }
}
