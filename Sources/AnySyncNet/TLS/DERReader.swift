/// A cursor over DER, strict about lengths: definite and shortest. Slices keep the indices of the whole input, so that a
/// signed part can be verified as it stands.
struct DERReader {
    /// The tags that certificates use.
    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let null: UInt8 = 0x05
        static let objectIdentifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31

        /// A constructed context-specific tag.
        static func explicit(_ number: UInt8) -> UInt8 { 0xa0 | number }
        /// A primitive context-specific tag.
        static func implicit(_ number: UInt8) -> UInt8 { 0x80 | number }
    }

    /// The bytes are no DER of the expected form.
    struct Malformed: Error {}

    /// One element.
    struct Element {
        let tag: UInt8
        /// The value alone.
        let content: ArraySlice<UInt8>
        /// Tag, length and value.
        let whole: ArraySlice<UInt8>
    }

    private var input: ArraySlice<UInt8>

    init(_ input: ArraySlice<UInt8>) {
        self.input = input
    }

    var isAtEnd: Bool { input.isEmpty }

    /// The tag of the next element, `nil` at the end.
    var nextTag: UInt8? { input.first }

    /// Reads any element.
    mutating func next() throws(Malformed) -> Element {
        let start = input.startIndex
        guard let tag = input.first, tag & 0x1f != 0x1f, input.count >= 2 else { throw Malformed() }
        var length = Int(input[start + 1])
        var contentStart = start + 2
        if length >= 0x80 {
            let count = length & 0x7f
            // Four length bytes are more than a certificate needs; none is the indefinite form.
            guard (1...4).contains(count), input.count >= 2 + count else { throw Malformed() }
            length = input[contentStart..<contentStart + count].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, input[contentStart] != 0 else { throw Malformed() }
            contentStart += count
        }
        guard length <= input.endIndex - contentStart else { throw Malformed() }
        let end = contentStart + length
        let element = Element(tag: tag, content: input[contentStart..<end], whole: input[start..<end])
        input = input[end...]
        return element
    }

    /// Reads an element that must have this tag.
    mutating func next(_ tag: UInt8) throws(Malformed) -> Element {
        let element = try next()
        guard element.tag == tag else { throw Malformed() }
        return element
    }

    /// Reads an element if it has this tag.
    mutating func nextIfPresent(_ tag: UInt8) throws(Malformed) -> Element? {
        guard nextTag == tag else { return nil }
        return try next()
    }

    /// Reads a constructed element that must have this tag, for reading inside.
    mutating func enter(_ tag: UInt8) throws(Malformed) -> DERReader {
        DERReader(try next(tag).content)
    }

    /// Reads a BOOLEAN.
    mutating func boolean() throws(Malformed) -> Bool {
        let content = try next(Tag.boolean).content
        guard content.count == 1, let value = content.first, value == 0 || value == 0xff else { throw Malformed() }
        return value != 0
    }

    /// Reads a BIT STRING of whole bytes.
    mutating func bitString() throws(Malformed) -> ArraySlice<UInt8> {
        let content = try next(Tag.bitString).content
        guard content.first == 0 else { throw Malformed() }
        return content.dropFirst()
    }

    /// Makes sure that nothing is left.
    func end() throws(Malformed) {
        guard isAtEnd else { throw Malformed() }
    }
}
