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

    // Digits are worked on five at a time and bytes four at a time, so that an account address costs tens of divisions
    // instead of thousands: every topic of a mention holds one.
    private static let digitsPerLimb = 5
    private static let limbBase: UInt64 = 656_356_768  // 58^5

    /// The text of `bytes`; each leading zero byte becomes a `1`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        var limbs: [UInt64] = []  // base 58^5, least significant first
        for (word, bits) in words(bytes.dropFirst(zeros)) {
            var carry = word
            for index in limbs.indices {
                carry += limbs[index] << bits
                limbs[index] = carry % limbBase
                carry /= limbBase
            }
            while carry > 0 {
                limbs.append(carry % limbBase)
                carry /= limbBase
            }
        }
        var digits: [UInt8] = []  // least significant first
        digits.reserveCapacity(limbs.count * digitsPerLimb + zeros)
        for limb in limbs {
            var rest = limb
            for _ in 0..<digitsPerLimb {
                digits.append(alphabet[Int(rest % 58)])
                rest /= 58
            }
        }
        while digits.last == alphabet[0] { digits.removeLast() }
        digits.append(contentsOf: repeatElement(alphabet[0], count: zeros))
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    // Big-endian words of four bytes, the first one shorter, each with the number of its bits.
    private static func words(_ bytes: some Collection<UInt8>) -> [(UInt64, UInt64)] {
        var words: [(UInt64, UInt64)] = []
        var word: UInt64 = 0
        var rest = bytes.count
        var bits: UInt64 = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            bits += 8
            rest -= 1
            if rest.isMultiple(of: 4) {
                words.append((word, bits))
                word = 0
                bits = 0
            }
        }
        return words
    }

    /// The bytes of `text`, or `nil` when it is empty, longer than ``maximumLength`` or has a character outside the alphabet.
    public static func decode(_ text: String) -> [UInt8]? {
        let letters = text.utf8
        guard !letters.isEmpty, letters.count <= maximumLength else { return nil }
        let zeros = letters.prefix { $0 == alphabet[0] }.count
        var words: [UInt64] = []  // base 2^32, least significant first
        for letter in letters.dropFirst(zeros) {
            var carry = UInt64(values[Int(letter)])
            guard carry < 58 else { return nil }
            for index in words.indices {
                carry += words[index] * 58
                words[index] = carry & 0xffff_ffff
                carry >>= 32
            }
            if carry > 0 { words.append(carry) }
        }
        var bytes: [UInt8] = []  // least significant first
        for word in words {
            for shift in [0, 8, 16, 24] as [UInt64] {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        while bytes.last == 0 { bytes.removeLast() }
        return [UInt8](repeating: 0, count: zeros) + bytes.reversed()
    }
}
