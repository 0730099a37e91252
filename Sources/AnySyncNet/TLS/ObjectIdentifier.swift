/// An ASN.1 object identifier by its DER content.
struct OID: Hashable, CustomStringConvertible {
    let content: [UInt8]

    init(_ content: some Sequence<UInt8>) {
        self.content = Array(content)
    }

    /// 1.3.6.1.4.1.53594.1.1, the extension that carries the host key (protocol.md §5).
    static let libp2pPublicKey = OID([0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xa2, 0x5a, 0x01, 0x01])

    static let ecPublicKey = OID([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01])
    static let p256 = OID([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07])
    static let p384 = OID([0x2b, 0x81, 0x04, 0x00, 0x22])
    static let p521 = OID([0x2b, 0x81, 0x04, 0x00, 0x23])
    static let ed25519 = OID([0x2b, 0x65, 0x70])

    static let ecdsaWithSHA256 = OID([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
    static let ecdsaWithSHA384 = OID([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03])
    static let ecdsaWithSHA512 = OID([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04])

    static let keyUsage = OID([0x55, 0x1d, 0x0f])
    static let subjectAlternativeName = OID([0x55, 0x1d, 0x11])
    static let basicConstraints = OID([0x55, 0x1d, 0x13])
    static let extendedKeyUsage = OID([0x55, 0x1d, 0x25])

    /// Dotted numbers.
    var description: String {
        var numbers: [UInt64] = []
        var value: UInt64 = 0
        for byte in content {
            guard value >> 57 == 0 else { return "an overlong object identifier" }
            value = value << 7 | UInt64(byte & 0x7f)
            guard byte < 0x80 else { continue }
            if numbers.isEmpty {
                let root = min(value / 40, 2)
                numbers = [root, value - 40 * root]
            } else {
                numbers.append(value)
            }
            value = 0
        }
        return numbers.map(String.init).joined(separator: ".")
    }
}
