import CSodium
import PushCrypto

/// Standard base64 with padding, of keys: strict, from bytes to bytes that can be zeroed, in a time that does not depend on
/// the content.
enum SecretBase64 {
    private static let variant = sodium_base64_VARIANT_ORIGINAL

    /// The text of `bytes`, as ASCII. The caller zeroes it.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        // With a zero byte at the end, as C wants it.
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var text = Sodium.make(capacity) { text in
            text.withMemoryRebound(to: CChar.self, capacity: capacity) { text in
                _ = sodium_bin2base64(text, capacity, bytes, bytes.count, variant)
                return 0
            }
        }.bytes
        text.removeLast()
        return text
    }

    /// What a part of `text` stands for; `nil` when it is no base64. The caller zeroes it.
    static func decode(_ text: [UInt8], _ range: Range<Int>) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count / 4 * 3)
        var count = 0
        let status = text.withUnsafeBytes { text in
            sodium_base642bin(
                &bytes, bytes.count,
                text.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: CChar.self),
                range.count, nil, &count, nil, variant
            )
        }
        guard status == 0 else {
            Sodium.zero(&bytes)
            return nil
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
