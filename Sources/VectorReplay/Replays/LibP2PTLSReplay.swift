import AnySyncNet
import FoundationEssentials
import PushCrypto

/// Replays libp2p_tls.json: certificates good and bad, and how the reference sets up TLS.
struct LibP2PTLSReplay: VectorFile {
    static let stem = "libp2p_tls"

    /// When the certificates were judged, in seconds since 1970.
    private let now: Int64

    // vectors/README.md: when the file was made, if its cases do not tell.
    private static let defaultTime: Int64 = 1_796_003_099

    init(file: JSON) throws {
        let cases = try file.array("cases")
        now = cases.lazy.compactMap { $0["error"]?.stringValue }.compactMap(Self.time).first ?? Self.defaultTime
        try expect(Array(file.string("prefix").utf8), equals: CertificateVerifier.signedPrefix, "prefix")
    }

    func replay(_ vector: JSON) throws {
        let der = try vector.hex("certificate")
        let fields = try CertificateFields(der: der)
        try compare(fields, to: vector)
        try compareVerdict(on: der, fields, to: vector)
        if vector.has("nextProtos") { try compareSetUp(to: vector) }
    }

    private func compare(_ fields: CertificateFields, to vector: JSON) throws {
        try expect(CertificateText.decimal(fields.serial), equals: vector.string("serial"), "serial")
        try expect(try CertificateText.name(fields.subject), equals: vector.string("subject"), "subject")
        try expect(Int(fields.notBefore), equals: vector.int("notBefore"), "notBefore")
        try expect(Int(fields.notAfter), equals: vector.int("notAfter"), "notAfter")
        try expect(Array(fields.publicKeyInfo), equals: vector.hex("spki"), "spki")
        try expect(
            CertificateText.keyAlgorithm(fields.keyAlgorithmText), equals: vector.string("publicKeyAlgorithm"),
            "publicKeyAlgorithm")
        try expect(
            CertificateText.signatureAlgorithm(fields.signatureAlgorithmText),
            equals: vector.string("signatureAlgorithm"),
            "signatureAlgorithm")
        guard vector.has("extension") else {
            return try expect(fields.hostKeyExtension == nil, "expected no libp2p extension, found one")
        }
        guard let found = fields.hostKeyExtension else { throw VectorMismatch("extension: found none") }
        try expect(Array(found.value), equals: vector.hex("extension"), "extension")
        try expect(found.isCritical, equals: vector.bool("extensionCritical"), "extensionCritical")
    }

    private func compareVerdict(on der: [UInt8], _ fields: CertificateFields, to vector: JSON) throws {
        let expectedPeer = vector["peerId"]?.stringValue
        if let expectedPeer {
            try expect(CertificateVerifier.claimedPeer(in: fields).text, equals: expectedPeer, "peerId")
        }
        guard let expectedError = vector["error"] else {
            guard expectedPeer != nil else { throw VectorMismatch("the case has neither error nor peerId") }
            return try expect(CertificateVerifier.verify([der], now: now).text, equals: expectedPeer, "peerId")
        }
        guard let text = expectedError.stringValue else { throw VectorMismatch("field error is not a string") }
        do {
            let peer = try CertificateVerifier.verify([der], now: now)
            throw VectorMismatch("expected the error \"\(text)\", found peer \(peer)")
        } catch let error as CertificateError {
            try expect(Self.matches(error, text), "expected the error \"\(text)\", found: \(error)")
        }
    }

    /// Whether our error says what the reference's text says. A text not known here only asks for some error.
    private static func matches(_ error: CertificateError, _ text: String) -> Bool {
        switch text {
        case _ where text.contains("self-signature"): error == .selfSignatureInvalid
        case _ where text.contains("signature invalid"): error == .hostSignatureInvalid
        case _ where text.contains("contain the key extension"): error == .extensionMissing
        case _ where text.contains("unmarshalling signed certificate"):
            if case .extensionMalformed = error { true } else { false }
        case _ where text.contains("unhandled critical extension"):
            if case .unknownCriticalExtension = error { true } else { false }
        case _ where text.contains("expired or is not yet valid") && text.contains(" is after "):
            if case .expired = error { true } else { false }
        case _ where text.contains("expired or is not yet valid") && text.contains(" is before "):
            if case .notYetValid = error { true } else { false }
        default: true
        }
    }

    private func compareSetUp(to vector: JSON) throws {
        let protocols = try vector.array("nextProtos").compactMap(\.stringValue)
        try expect(protocols, equals: [ApplicationProtocol.libp2p.rawValue], "nextProtos")
        try expect(Int(TLSParameters.protocolVersion), equals: vector.int("minVersion"), "minVersion")
        // Go's RequireAnyClientCert: a certificate is required, and judged by our code instead of Go's.
        try expect(TLSParameters.requiresDialerCertificate ? 2 : 0, equals: vector.int("clientAuth"), "clientAuth")
        try expect(try vector.bool("insecureSkipVerify"), "expected insecureSkipVerify: the chain has no authority")
        try expect(
            TLSParameters.sessionTickets == 0, equals: vector.bool("sessionTicketsDisabled"), "sessionTicketsDisabled")
        try expect(vector.string("peerId"), equals: vector.string("expectedPeerId"), "expectedPeerId")
    }

    /// The time in a text such as `current time 2026-11-30T01:44:59Z is after …`.
    private static func time(in text: String) -> Int64? {
        guard let start = text.firstRange(of: "current time ") else { return nil }
        let digits = text[start.upperBound...].prefix { $0 != "Z" }.utf8.filter { (0x30...0x39).contains($0) }
        return CertificateTime.decode(generalizedTime: digits + [UInt8(ascii: "Z")])
    }
}
