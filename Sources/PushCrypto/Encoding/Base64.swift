import FoundationEssentials

/// Standard base64 with padding (RFC 4648, section 4), read as the reference reads it.
package enum Base64 {
    /// The bytes of `text`, or `nil` when it is not standard base64. Line breaks are passed over, and bits behind the last
    /// byte are not looked at, as in Go. The caller zeroes the bytes when they are a secret.
    package static func decode(_ text: String) -> [UInt8]? {
        var letters = text.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        defer { Sodium.zero(&letters) }
        // Foundation takes a pad where there should be none, and any number of them.
        let padding = letters.suffix(2).reversed().prefix { $0 == pad }.count
        guard letters.count.isMultiple(of: 4), !letters.dropLast(padding).contains(pad) else { return nil }
        var encoded = Data(letters)
        defer { encoded.resetBytes(in: encoded.indices) }
        guard var decoded = Data(base64Encoded: encoded) else { return nil }
        defer { decoded.resetBytes(in: decoded.indices) }
        return [UInt8](decoded)
    }

    private static let pad = UInt8(ascii: "=")
}
