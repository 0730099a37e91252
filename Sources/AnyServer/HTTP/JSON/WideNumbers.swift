/// Whole numbers that do not fit into 64 bits. JSON has them (RFC 8259, 6), and readers that know doubles only take them;
/// jansson refuses them unless they look like reals.
enum WideNumbers {
    /// The bytes with an exponent of zero behind each such number, `nil` when they hold none.
    static func asReals(in bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        var hasChanged = false
        var isInString = false
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            guard !isInString, isNumberByte(byte) else {
                if byte == UInt8(ascii: "\"") { isInString.toggle() }
                if byte == UInt8(ascii: "\\"), isInString, position + 1 < bytes.count {
                    result.append(byte)
                    position += 1
                }
                result.append(bytes[position])
                position += 1
                continue
            }
            let number = bytes[position...].prefix(while: isNumberByte)
            result += number
            position = number.endIndex
            if isWide(number) {
                result += Array("e0".utf8)
                hasChanged = true
            }
        }
        return hasChanged ? result : nil
    }

    private static func isWide(_ number: ArraySlice<UInt8>) -> Bool {
        let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
        guard !digits.isEmpty, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return false }
        return Int64(String(decoding: number, as: UTF8.self)) == nil
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
