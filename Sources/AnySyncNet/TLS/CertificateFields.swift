/// An X.509 certificate taken apart, without judging it beyond its form. All slices are parts of the DER.
package struct CertificateFields {
    /// One extension.
    package struct Extension {
        let oid: OID
        package let isCritical: Bool
        /// The content of its OCTET STRING.
        package let value: ArraySlice<UInt8>
    }

    /// What the signature is over.
    let signedPart: ArraySlice<UInt8>
    /// The serial number, big-endian two's complement.
    package let serial: ArraySlice<UInt8>
    /// The subject's name, the content of its SEQUENCE.
    package let subject: ArraySlice<UInt8>
    /// First second of validity since 1970.
    package let notBefore: Int64
    /// Last second of validity since 1970.
    package let notAfter: Int64
    /// The SubjectPublicKeyInfo, tag and length included.
    package let publicKeyInfo: ArraySlice<UInt8>
    let keyAlgorithm: OID
    /// The curve of an EC key.
    let curve: OID?
    let extensions: [Extension]
    let signatureAlgorithm: OID
    let signature: ArraySlice<UInt8>

    /// The extension with the host key.
    package var hostKeyExtension: Extension? {
        extensions.first { $0.oid == .libp2pPublicKey }
    }

    /// Dotted numbers of the key's algorithm.
    package var keyAlgorithmText: String { "\(keyAlgorithm)" }
    /// Dotted numbers of the signature's algorithm.
    package var signatureAlgorithmText: String { "\(signatureAlgorithm)" }

    /// Takes a certificate apart.
    ///
    /// - Throws: ``CertificateError/malformed(_:)`` with the part that is wrong.
    package init(der: [UInt8]) throws(CertificateError) {
        var part = "outer structure"
        do throws(DERReader.Malformed) {
            var file = DERReader(der[...])
            var outer = try file.enter(DERReader.Tag.sequence)
            try file.end()
            let signed = try outer.next(DERReader.Tag.sequence)
            signedPart = signed.whole
            let outerAlgorithm = try outer.next(DERReader.Tag.sequence)
            signature = try outer.bitString()
            try outer.end()

            part = "version"
            var body = DERReader(signed.content)
            // Version 3 is the only one with extensions.
            var version = try body.enter(DERReader.Tag.explicit(0))
            guard try version.next(DERReader.Tag.integer).content.elementsEqual([2]) else { throw DERReader.Malformed() }
            try version.end()

            part = "serial number"
            serial = try body.next(DERReader.Tag.integer).content
            guard !serial.isEmpty else { throw DERReader.Malformed() }

            part = "signature algorithm"
            let algorithm = try body.next(DERReader.Tag.sequence)
            guard algorithm.content == outerAlgorithm.content else { throw DERReader.Malformed() }
            var algorithmReader = DERReader(algorithm.content)
            signatureAlgorithm = OID(try algorithmReader.next(DERReader.Tag.objectIdentifier).content)

            part = "issuer"
            _ = try body.next(DERReader.Tag.sequence)

            part = "validity"
            var validity = try body.enter(DERReader.Tag.sequence)
            guard
                let from = CertificateTime.decode(try validity.next()),
                let until = CertificateTime.decode(try validity.next())
            else { throw DERReader.Malformed() }
            try validity.end()
            (notBefore, notAfter) = (from, until)

            part = "subject"
            subject = try body.next(DERReader.Tag.sequence).content

            part = "public key"
            let info = try body.next(DERReader.Tag.sequence)
            publicKeyInfo = info.whole
            var infoReader = DERReader(info.content)
            var keyAlgorithmReader = try infoReader.enter(DERReader.Tag.sequence)
            keyAlgorithm = OID(try keyAlgorithmReader.next(DERReader.Tag.objectIdentifier).content)
            curve = try keyAlgorithmReader.nextIfPresent(DERReader.Tag.objectIdentifier).map { OID($0.content) }
            _ = try infoReader.bitString()
            try infoReader.end()

            part = "unique identifier"
            _ = try body.nextIfPresent(DERReader.Tag.implicit(1))
            _ = try body.nextIfPresent(DERReader.Tag.implicit(2))

            part = "extensions"
            if body.nextTag == DERReader.Tag.explicit(3) {
                var wrapper = try body.enter(DERReader.Tag.explicit(3))
                extensions = try Self.extensions(try wrapper.enter(DERReader.Tag.sequence))
                try wrapper.end()
            } else {
                extensions = []
            }
            try body.end()
        } catch {
            throw .malformed(part)
        }
    }

    private static func extensions(_ list: DERReader) throws(DERReader.Malformed) -> [Extension] {
        var list = list
        var extensions: [Extension] = []
        while !list.isAtEnd {
            var entry = try list.enter(DERReader.Tag.sequence)
            let oid = OID(try entry.next(DERReader.Tag.objectIdentifier).content)
            let isCritical = entry.nextTag == DERReader.Tag.boolean ? try entry.boolean() : false
            let value = try entry.next(DERReader.Tag.octetString).content
            try entry.end()
            // A second copy could be read by one side and judged by the other (RFC 5280 §4.2 forbids it).
            guard !extensions.contains(where: { $0.oid == oid }), extensions.count < maximumExtensions else {
                throw DERReader.Malformed()
            }
            extensions.append(Extension(oid: oid, isCritical: isCritical, value: value))
        }
        return extensions
    }

    // Far above any honest certificate of this kind; bounds the search for copies.
    private static let maximumExtensions = 32
}
