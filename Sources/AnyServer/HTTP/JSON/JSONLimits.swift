/// What a body may hold beyond its size in bytes, checked before a parser allocates anything for it.
package struct JSONLimits: Hashable, Sendable {
    /// Arrays and objects within one another, 64 unless told. The deepest body of the contract has six.
    package var depth: Int
    /// Values in all, 16384 unless told. An empty array costs its sender two bytes and us a hundred.
    package var values: Int

    /// The limits of a request's body, or others.
    package init(depth: Int = 64, values: Int = 16_384) {
        self.depth = depth
        self.values = values
    }

    /// The first limit that `bytes` exceeds, `nil` when they exceed none. Counts brackets and commas outside strings,
    /// which is exact for well-formed JSON and never too little for any other bytes that a parser reads to the end.
    func excess(in bytes: some Sequence<UInt8>) -> Excess? {
        var depth = 0
        var values = 1
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                values += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): values += 1
            default: break
            }
            if depth > self.depth { return .depth(self.depth) }
            if values > self.values { return .values(self.values) }
        }
        return nil
    }

    /// A limit that was exceeded, with its number.
    enum Excess: Hashable, Sendable {
        case depth(Int)
        case values(Int)
    }
}
