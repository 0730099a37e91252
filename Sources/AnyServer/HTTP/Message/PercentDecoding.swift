/// Percent-decoding of parts of a request target.
enum PercentDecoding {
    /// Decodes bytes to text, `nil` when an escape is cut short or is none, or when the result is no UTF-8.
    ///
    /// - Parameter plusIsSpace: As in queries that forms send.
    static func text(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard position + 1 < bytes.endIndex, let high = digit(bytes[position]),
                    let low = digit(bytes[position + 1])
                else { return nil }
                decoded.append(high << 4 | low)
                position += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
