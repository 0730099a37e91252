/// Writes JSON with fields in their own order.
package struct JSONWriter {
    /// How the text is laid out.
    package enum Layout: Hashable, Sendable {
        /// No white space.
        case compact
        /// Two spaces a level and a line for each element.
        case pretty
    }

    private var bytes: [UInt8] = []
    private let layout: Layout

    private init(layout: Layout) {
        self.layout = layout
    }

    /// A value as UTF-8 text.
    package static func bytes(_ value: JSONValue, layout: Layout = .compact) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        writer.write(value, level: 0)
        return writer.bytes
    }

    private mutating func write(_ value: JSONValue, level: Int) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): write(value)
        case .string(let text): write(text)
        case .array(let elements):
            write(open: "[", close: "]", elements, level: level) { writer, element in
                writer.write(element, level: level + 1)
            }
        case .object(let object):
            write(open: "{", close: "}", object.fields, level: level) { writer, field in
                writer.write(field.name)
                writer.bytes.append(UInt8(ascii: ":"))
                if writer.layout == .pretty { writer.bytes.append(UInt8(ascii: " ")) }
                writer.write(field.value, level: level + 1)
            }
        }
    }

    private mutating func write<Element>(
        open: Unicode.Scalar, close: Unicode.Scalar, _ elements: [Element], level: Int,
        body: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        for (position, element) in elements.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(level: level + 1)
            body(&self, element)
        }
        if !elements.isEmpty { breakLine(level: level) }
        bytes.append(UInt8(ascii: close))
    }

    private mutating func breakLine(level: Int) {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    /// JSON has no infinities, so they are `null`; whole numbers that a double holds exactly have no fraction.
    private mutating func write(_ value: Double) {
        if let whole = Int64(exactly: value), abs(value) < 9_007_199_254_740_992 {
            bytes.append(contentsOf: String(whole).utf8)
        } else if value.isFinite {
            bytes.append(contentsOf: value.description.utf8)
        } else {
            bytes.append(contentsOf: "null".utf8)
        }
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (position, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: utf8[start..<position])
                escape(byte)
                start = position + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
