/// Writes JSON byte for byte as Go's `encoding/json` does (protocol.md §3): no spaces, HTML characters and the line
/// separators U+2028 and U+2029 escaped, and a broken byte as `\ufffd`.
package struct GoJSON {
    /// What was written so far.
    package private(set) var bytes: [UInt8]

    /// An empty document.
    ///
    /// - Parameter capacity: about how many bytes it will have.
    package init(reserving capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Writes syntax, a key or a literal as it is.
    package mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes JSON that was made before, as it is.
    package mutating func fragment(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    /// Writes a whole number.
    package mutating func number(_ value: Int) {
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a string, whatever its bytes.
    package mutating func string(_ value: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var copied = 0
        var index = 0
        while index < value.count {
            let byte = value[index]
            if byte < 0x80, !Self.needsEscape(byte) {
                index += 1
                continue
            }
            let length = Runes.validLength(value, at: index)
            if let escape = Self.escape(value, at: index, length: length) {
                bytes.append(contentsOf: value[copied..<index])
                bytes.append(contentsOf: escape)
                copied = index + max(length, 1)
            }
            index += max(length, 1)
        }
        bytes.append(contentsOf: value[copied...])
        bytes.append(UInt8(ascii: "\""))
    }

    /// How many bytes a scalar takes inside a JSON string.
    static func encodedLength(_ rune: Runes.Rune, of value: [UInt8]) -> Int {
        let length = rune.isValid ? rune.range.count : 0
        return escape(value, at: rune.range.lowerBound, length: length)?.count ?? length
    }

    private static let escapes: [[UInt8]?] = (0..<128).map { code in
        switch UInt8(code) {
        case UInt8(ascii: "\""): Array(#"\""#.utf8)
        case UInt8(ascii: "\\"): Array(#"\\"#.utf8)
        case 0x08: Array(#"\b"#.utf8)
        case 0x09: Array(#"\t"#.utf8)
        case 0x0a: Array(#"\n"#.utf8)
        case 0x0c: Array(#"\f"#.utf8)
        case 0x0d: Array(#"\r"#.utf8)
        case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
            Array(#"\u00"#.utf8) + Array(Hexadecimal.encode([UInt8(code)]).utf8)
        default: nil
        }
    }
    private static let replacement = Array(#"\ufffd"#.utf8)
    private static let lineSeparator = Array(#"\u2028"#.utf8)
    private static let paragraphSeparator = Array(#"\u2029"#.utf8)

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&")
    }

    // The escape of the scalar at `index`, nil when it stands for itself; length 0 means that the byte is broken.
    private static func escape(_ value: [UInt8], at index: Int, length: Int) -> [UInt8]? {
        switch length {
        case 0: replacement
        case 1: escapes[Int(value[index])]
        case 3 where value[index] == 0xe2 && value[index + 1] == 0x80 && value[index + 2] == 0xa8: lineSeparator
        case 3 where value[index] == 0xe2 && value[index + 1] == 0x80 && value[index + 2] == 0xa9: paragraphSeparator
        default: nil
        }
    }
}
