import AnySyncNet
import PushCrypto

/// Parts of certificates as Go prints them.
enum CertificateText {
    static func keyAlgorithm(_ oid: String) -> String {
        switch oid {
        case "1.2.840.10045.2.1": "ECDSA"
        case "1.3.101.112": "Ed25519"
        case "1.2.840.113549.1.1.1": "RSA"
        default: oid
        }
    }

    static func signatureAlgorithm(_ oid: String) -> String {
        switch oid {
        case "1.2.840.10045.4.3.2": "ECDSA-SHA256"
        case "1.2.840.10045.4.3.3": "ECDSA-SHA384"
        case "1.2.840.10045.4.3.4": "ECDSA-SHA512"
        case "1.3.101.112": "Ed25519"
        case "1.2.840.113549.1.1.11": "SHA256-RSA"
        default: oid
        }
    }

    /// A positive big-endian number in decimal.
    static func decimal(_ bytes: ArraySlice<UInt8>) -> String {
        // Digits from the least significant on.
        var digits: [UInt8] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                carry += Int(digits[index]) * 256
                digits[index] = UInt8(carry % 10)
                carry /= 10
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self)
    }

    /// A distinguished name as RFC 2253 writes it: last part first.
    static func name(_ der: ArraySlice<UInt8>) throws -> String {
        var sets = DERReader(der)
        var parts: [String] = []
        while !sets.isAtEnd {
            var set = try sets.enter(DERReader.Tag.set)
            var attributes: [String] = []
            while !set.isAtEnd {
                var pair = try set.enter(DERReader.Tag.sequence)
                let type = OID(try pair.next(DERReader.Tag.objectIdentifier).content)
                attributes.append(attribute("\(type)", try pair.next()))
            }
            parts.append(attributes.joined(separator: "+"))
        }
        return parts.reversed().joined(separator: ",")
    }

    private static let attributeNames = [
        "2.5.4.3": "CN", "2.5.4.5": "SERIALNUMBER", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "STREET",
        "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.17": "POSTALCODE",
    ]

    private static func attribute(_ type: String, _ value: DERReader.Element) -> String {
        guard let name = attributeNames[type] else { return "\(type)=#\(Hexadecimal.encode(value.whole))" }
        var text = ""
        for character in String(decoding: value.content, as: UTF8.self) {
            if ",+\"\\<>;".contains(character) { text.append("\\") }
            text.append(character)
        }
        return "\(name)=\(text)"
    }
}
