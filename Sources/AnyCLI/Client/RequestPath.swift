/// The path of a request. What is put into the text is escaped, so that an id can not lead elsewhere.
struct RequestPath: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// Adds a part of the path.
    func appending(_ part: String) -> RequestPath {
        var path = self
        path.text += "/" + Self.escape(part)
        return path
    }

    /// Adds a query item, unless there is none.
    func adding(_ name: String, _ value: String?) -> RequestPath {
        guard let value else { return self }
        var path = self
        path.text += (text.contains("?") ? "&" : "?") + name + "=" + Self.escape(value)
        return path
    }

    struct Interpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { text += RequestPath.escape(value) }
    }

    // All but RFC 3986's unreserved characters.
    private static func escape(_ value: String) -> String {
        var escaped = ""
        for byte in value.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += byte < 16 ? "%0" : "%"
                escaped += String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}
