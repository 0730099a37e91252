/// Base58 with Bitcoin's alphabet.
public enum Base58 {
    /// The longest text that is decoded, in characters. Decoding is quadratic, and everything that this project writes in
    /// base58 is shorter than 60.
    public static let maximumLength = 256

    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The text of `bytes`; each leading zero byte becomes a `1`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        var digits: [UInt8] = []  // base 58, least significant first
        for byte in bytes.dropFirst(zeros) {
            var carry = Int(byte)
            for index in digits.indices {
                carry += Int(digits[index]) << 8
                digits[index] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let text = repeatElement(alphabet[0], count: zeros) + digits.reversed().map { alphabet[Int($0)] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`, or `nil` when it is empty, longer than ``maximumLength`` or has a character outside the alphabet.
    public static func decode(_ text: String) -> [UInt8]? {
        let letters = text.utf8
        guard !letters.isEmpty, letters.count <= maximumLength else { return nil }
        let zeros = letters.prefix { $0 == alphabet[0] }.count
        var bytes: [UInt8] = []  // least significant first
        for letter in letters.dropFirst(zeros) {
            var carry = Int(values[Int(letter)])
            guard carry < 58 else { return nil }
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 0xff)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 0xff))
                carry >>= 8
            }
        }
        return [UInt8](repeating: 0, count: zeros) + bytes.reversed()
    }
}
