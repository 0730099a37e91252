import PushCrypto

/// Makes of a text that somebody else wrote one that can be shown: it cannot turn the writing around it, hide what it
/// says, pass for several lines or fill the screen.
///
/// Left out are what changes the direction of writing (U+202A–E, U+2066–9, U+200E, U+200F, U+061C) and all else that has no
/// shape (zero-width spaces, soft hyphens, fillers, tags). Kept are what writing needs: ZERO WIDTH JOINER within an emoji
/// and after a virama, ZERO WIDTH NON-JOINER after a virama and between letters that join (RFC 5892, appendix A), variation
/// selectors behind what they select a form of, and the tags of a flag. Mentions are shown by ``MentionText``.
enum DisplayText {
    /// The longest name that is shown, in characters. Space and chat names have been seen with 40; ours.
    static let nameLimit = 64
    /// The longest text that is shown, in characters; a sender cuts to as many scalars (``ChatPayload/maximumTextScalars``).
    static let textLimit = 1024
    /// The most scalars of one character: the longest emoji has 10, a syllable of Tibetan fewer. More are marks piled up.
    static let scalarLimit = 16

    /// A name: one line, its white space one space each, without any at the ends.
    static func name(_ text: String) -> String {
        shortened(singleSpaced(shown(text)), to: nameLimit)
    }

    /// A text in one paragraph, for where something stands before it that its own lines could pass for.
    static func paragraph(_ text: String) -> String {
        shortened(singleSpaced(shown(text)), to: textLimit)
    }

    /// A text with its line breaks, each a line feed and at most two in a row.
    static func lines(_ text: String) -> String {
        var result = ""
        var breaks = 0
        for character in shown(text) {
            breaks = character == "\n" ? breaks + 1 : 0
            if breaks <= 2 { result.append(character) }
        }
        return shortened(trimmed(Substring(result)), to: textLimit)
    }

    private static func shown(_ text: String) -> String {
        MentionText.shown(visible(text))
    }

    // Everything that has a shape; control characters but line breaks become spaces.
    private static func visible(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        var isFlag = false
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            isFlag = scalar == "\u{1f3f4}" || isFlag && isTag(scalar)
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator: shown.append("\n")
            case .control:
                if scalar == "\r", next == "\n" { continue }
                shown.append(["\n", "\r", "\u{b}", "\u{c}", "\u{85}"].contains(scalar) ? "\n" : " ")
            default:
                guard isShapeless(scalar) else {
                    shown.append(scalar)
                    continue
                }
                if let last = shown.last, isFlag || isNeeded(scalar, between: last, and: next) { shown.append(scalar) }
            }
        }
        return String(shown)
    }

    private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        guard scalar.properties.generalCategory == .format else { return false }
        // Arabic and Kaithi number signs and the like are format characters and have a shape.
        return !isPrependedMark(scalar)
    }

    private static func isPrependedMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x600...0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd: true
        default: false
        }
    }

    private static func isTag(_ scalar: Unicode.Scalar) -> Bool {
        (0xe0020...0xe007f).contains(scalar.value)
    }

    private static func isNeeded(
        _ scalar: Unicode.Scalar, between last: Unicode.Scalar, and next: Unicode.Scalar?
    ) -> Bool {
        switch scalar.value {
        case 0x200d:
            isVirama(last) || isEmojiPart(last) && next.map(isPicture) ?? false
        case 0x200c:
            isVirama(last) || isJoining(last) && next.map(isJoining) ?? false
        // Forms of emoji and symbols, of Mongolian letters, of ideographs.
        case 0xfe00...0xfe0f: !isShapeless(last) && last != " " && last != "\n"
        case 0x180b...0x180d, 0x180f: (0x1820...0x18aa).contains(last.value)
        case 0xe0100...0xe01ef: last.properties.isIdeographic
        default: false
        }
    }

    private static func isVirama(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass == .virama
    }

    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && scalar.value > 0x7f
    }

    private static func isEmojiPart(_ scalar: Unicode.Scalar) -> Bool {
        isPicture(scalar) || scalar == "\u{fe0f}"
    }

    // Letters and marks of scripts whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa and their forms.
    private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark else {
            return false
        }
        switch scalar.value {
        case 0x620...0x8ff, 0x1820...0x18aa, 0xa840...0xa871, 0xfb50...0xfdfb, 0xfe70...0xfefc: return true
        default: return false
        }
    }

    private static func singleSpaced(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isSpace(scalar) else {
                result.append(scalar)
                continue
            }
            if result.last != " " { result.append(" ") }
        }
        return trimmed(Substring(String(result)))
    }

    private static func trimmed(_ text: Substring) -> String {
        var scalars = text.unicodeScalars
        while let first = scalars.first, isSpace(first) { scalars.removeFirst() }
        while let last = scalars.last, isSpace(last) { scalars.removeLast() }
        return String(scalars)
    }

    // BRAILLE PATTERN BLANK is a symbol by its category, and nothing to see.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "\u{2800}"
    }

    private static func shortened(_ text: String, to limit: Int) -> String {
        var result = ""
        for (index, character) in text.enumerated() {
            guard index < limit else { return result + "…" }
            let scalars = character.unicodeScalars
            if scalars.count <= scalarLimit {
                result.append(character)
            } else {
                result.unicodeScalars.append(contentsOf: scalars.prefix(scalarLimit))
            }
        }
        return result
    }
}
