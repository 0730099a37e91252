/// Walks bytes as Go's `range` walks a string: one Unicode scalar at a time, and each byte that is not part of a
/// well-formed UTF-8 sequence by itself (protocol.md §3).
///
/// Swift's own decoder joins the bytes of a broken sequence into one replacement, which counts and cuts differently.
struct Runes: Sequence, IteratorProtocol {
    struct Rune {
        /// Where the scalar's bytes are.
        let range: Range<Int>
        /// Whether they are well-formed UTF-8; otherwise the range is one byte.
        let isValid: Bool
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Rune? {
        guard position < bytes.count else { return nil }
        let valid = Self.validLength(bytes, at: position)
        let length = valid == 0 ? 1 : valid
        defer { position += length }
        return Rune(range: position..<position + length, isValid: valid > 0)
    }

    /// The bytes up to the end of the first `count` scalars.
    static func prefix(_ bytes: [UInt8], count: Int) -> ArraySlice<UInt8> {
        // No scalar is shorter than a byte, so a short text needs no walk.
        guard bytes.count > count else { return bytes[...] }
        var end = 0
        var seen = 0
        while end < bytes.count, seen < count {
            let valid = validLength(bytes, at: end)
            end += valid == 0 ? 1 : valid
            seen += 1
        }
        return bytes[..<end]
    }

    /// The length of the well-formed sequence that starts at `index` (RFC 3629, "Syntax of UTF-8 Byte Sequences"), or 0.
    static func validLength(_ bytes: [UInt8], at index: Int) -> Int {
        func tail(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xbf) -> Bool {
            index + offset < bytes.count && range.contains(bytes[index + offset])
        }
        switch bytes[index] {
        case 0x00...0x7f: return 1
        case 0xc2...0xdf: return tail(1) ? 2 : 0
        case 0xe0: return tail(1, 0xa0...0xbf) && tail(2) ? 3 : 0
        case 0xed: return tail(1, 0x80...0x9f) && tail(2) ? 3 : 0
        case 0xe1...0xef: return tail(1) && tail(2) ? 3 : 0
        case 0xf0: return tail(1, 0x90...0xbf) && tail(2) && tail(3) ? 4 : 0
        case 0xf1...0xf3: return tail(1) && tail(2) && tail(3) ? 4 : 0
        case 0xf4: return tail(1, 0x80...0x8f) && tail(2) && tail(3) ? 4 : 0
        default: return 0
        }
    }
}
