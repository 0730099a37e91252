/// Hexadecimal text.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Lower-case digits, two for each byte.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var index = 0
            for byte in bytes {
                text[index] = digits[Int(byte >> 4)]
                text[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// Appends the digits of a secret. Whoever reserved room in `text` for all of it zeroes all that there is of it.
    package static func append(_ secret: some Collection<UInt8>, to text: inout [UInt8]) {
        for byte in secret {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }

    /// The bytes of an even number of digits of either case, `nil` for any other text.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8))
    }

    /// The bytes that an even number of digits of either case stand for, `nil` for anything else. The caller zeroes those
    /// of a secret.
    package static func decode(_ digits: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            guard let high = value(first), let low = value(second) else {
                Sodium.zero(&bytes)
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
