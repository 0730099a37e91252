/// Shows mentions as a reader wants them: `[Bob](any://m/<space>/<identity>)` as `@Bob`.
///
/// A link alone has no name to show, so it is `@` and the first characters of the identity. Links of other kinds stay as
/// they are. A name is what the text says it is, as all of the text is; the `@` in front keeps it from passing for more.
public enum MentionText {
    /// What every mention's link begins with (protocol.md §3).
    private static let scheme = Array("any://m/".utf8)
    /// The longest name that is looked for, in bytes: 64 characters of three scalars, each of up to four bytes.
    private static let maximumNameLength = 768
    /// The longest space id or identity of a link, in bytes; theirs have up to 80 and 48.
    private static let maximumIdLength = 128
    /// How much of an identity stands for it.
    private static let shortIdentityLength = 8

    /// A text with its mentions as they are shown. Takes time in proportion to its length.
    ///
    /// - Parameter text: as it was written, or the beginning of it: a link that the end cuts is shown like a whole one.
    public static func shown(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = 0
        while let link = nextLink(in: text, from: position) {
            var before = text[position..<link.range.lowerBound]
            var end = link.range.upperBound
            var name = link.identity.isEmpty ? Array("…".utf8) : shortened(link.identity)
            if let label = label(before: link.range.lowerBound, since: position, in: text),
                let close = closing(after: end, angled: label.isAngled, in: text)
            {
                before = text[position..<label.start]
                end = close
                let named = trimmed(label.name)
                if !named.isEmpty { name = named }
            }
            result += before
            if name.first != UInt8(ascii: "@") { result.append(UInt8(ascii: "@")) }
            result += name
            position = end
        }
        return result + text[position...]
    }

    /// A text with its mentions as they are shown; see ``shown(_:)-([UInt8])``.
    public static func shown(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let shown = shown(bytes)
        return shown == bytes ? text : String(decoding: shown, as: UTF8.self)
    }

    private struct Link {
        let range: Range<Int>
        let identity: ArraySlice<UInt8>
    }

    private struct Label {
        let start: Int
        let name: [UInt8]
        let isAngled: Bool
    }

    private static func nextLink(in text: [UInt8], from position: Int) -> Link? {
        var position = position
        while let start = text[position...].firstIndex(of: scheme[0]) {
            position = start + 1
            // Not the end of another scheme's name.
            guard start == 0 || !isAlphanumeric(text[start - 1]), text[start...].starts(with: scheme) else { continue }
            let space = text[(start + scheme.count)...].prefix(maximumIdLength).prefix(while: isIdByte)
            guard space.endIndex < text.count else { return Link(range: start..<text.count, identity: []) }
            guard !space.isEmpty, text[space.endIndex] == UInt8(ascii: "/") else { continue }
            let identity = text[(space.endIndex + 1)...].prefix(maximumIdLength).prefix(while: isAlphanumeric)
            guard !identity.isEmpty || identity.endIndex == text.count else { continue }
            return Link(range: start..<identity.endIndex, identity: identity)
        }
        return nil
    }

    // `[name](` or `[name](<` right before a link: the bracket that opens what the last one closes.
    private static func label(before end: Int, since start: Int, in text: [UInt8]) -> Label? {
        var index = end - 1
        let isAngled = index >= start && text[index] == UInt8(ascii: "<")
        if isAngled { index -= 1 }
        guard
            index - 1 > start, text[index] == UInt8(ascii: "("), text[index - 1] == UInt8(ascii: "]"),
            !isEscaped(index - 1, since: start, in: text)
        else { return nil }
        let close = index - 1
        var depth = 1
        index = close - 1
        while index >= start, close - index <= maximumNameLength + 1 {
            if !isEscaped(index, since: start, in: text) {
                if text[index] == UInt8(ascii: "]") { depth += 1 }
                if text[index] == UInt8(ascii: "[") { depth -= 1 }
                if depth == 0 {
                    return Label(start: index, name: unescaped(text[(index + 1)..<close]), isAngled: isAngled)
                }
            }
            index -= 1
        }
        return nil
    }

    // Where a named link ends, behind its bracket; the text's own end does as well.
    private static func closing(after end: Int, angled isAngled: Bool, in text: [UInt8]) -> Int? {
        var index = end
        if isAngled {
            guard index < text.count else { return index }
            guard text[index] == UInt8(ascii: ">") else { return nil }
            index += 1
        }
        guard index < text.count else { return index }
        return text[index] == UInt8(ascii: ")") ? index + 1 : nil
    }

    private static func isEscaped(_ index: Int, since start: Int, in text: [UInt8]) -> Bool {
        index > start && text[index - 1] == UInt8(ascii: "\\")
            && !(index > start + 1 && text[index - 2] == UInt8(ascii: "\\"))
    }

    // Markdown's escapes: a backslash before punctuation is not part of the name.
    private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isEscape = false
        for byte in name {
            if byte == UInt8(ascii: "\\"), !isEscape {
                isEscape = true
                continue
            }
            if isEscape, byte > 0x7f || isAlphanumeric(byte) { result.append(UInt8(ascii: "\\")) }
            isEscape = false
            result.append(byte)
        }
        return result
    }

    private static func trimmed(_ name: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        guard let first = name.firstIndex(where: { !isSpace($0) }), let last = name.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(name[first...last])
    }

    private static func shortened(_ identity: ArraySlice<UInt8>) -> [UInt8] {
        guard identity.count > shortIdentityLength else { return Array(identity) }
        return identity.prefix(shortIdentityLength) + Array("…".utf8)
    }

    private static func isIdByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
