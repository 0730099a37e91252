package import AnyServer

/// What golden files know so far, and how they are held against what came.
///
/// A text in an expectation may have places: `<id>` (letters and digits), `<time>` (RFC 3339), `<word>`, `<text>`, `<address>`
/// (host:port), `<hex>`; standing alone also `<date>` (`{"$date": <time>}`), `<number>`, `<any>`. `<id:space>` names what
/// stands there, and `{space}` puts it into later requests and expectations; `{repeat:a:100}` is a hundred times `a`.
/// An object has the fields named and no others, unless it has a field `...`.
package struct ContractPattern {
    /// What has been named.
    package var known: [String: JSONValue]

    package init(_ known: [String: JSONValue] = [:]) {
        self.known = known
    }

    // MARK: Filling in

    /// A value with what is known in its places.
    package func filled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text):
            if text.hasPrefix("{"), text.hasSuffix("}"), let value = known[String(text.dropFirst().dropLast())] {
                return value
            }
            return .string(filled(text))
        case .array(let elements): return .array(elements.map(filled))
        case .object(let object):
            return .object(JSONObject(object.fields.map { (filled($0.name), filled($0.value)) }))
        case .null, .bool, .integer, .number: return value
        }
    }

    /// A text with what is known in its places.
    package func filled(_ text: String) -> String {
        guard text.contains("{") else { return text }
        var result = text
        for (name, value) in known {
            guard let value = value.string else { continue }
            result = result.replacing("{\(name)}", with: value)
        }
        return result.replacing(/\{repeat:([^:]+):([0-9]+)\}/) { match in
            String(repeating: String(match.1), count: Int(match.2) ?? 0)
        }
    }

    // MARK: Comparing

    /// What is wrong with a value, `nil` when it is as expected. What has a name is known from then on.
    package mutating func problem(with found: JSONValue?, expected: JSONValue, at path: String = "$") -> String? {
        guard let found else { return "\(path): nothing came, expected \(Self.text(expected))" }
        switch (expected, found) {
        case (.string(let pattern), _): return problem(with: found, pattern: pattern, at: path)
        case (.array(let wanted), .array(let elements)):
            guard wanted.count == elements.count else {
                return "\(path): \(elements.count) elements, expected \(wanted.count): \(Self.text(found))"
            }
            for (position, pair) in zip(wanted, elements).enumerated() {
                if let problem = problem(with: pair.1, expected: pair.0, at: "\(path)[\(position)]") { return problem }
            }
            return nil
        case (.object(let wanted), .object(let object)):
            for field in wanted.fields where field.name != Self.others {
                let name = filled(field.name)
                if let problem = problem(with: object[name], expected: field.value, at: "\(path).\(name)") {
                    return problem
                }
            }
            guard wanted[Self.others] == nil else { return nil }
            let names = Set(wanted.names.map(filled))
            let more = object.names.filter { !names.contains($0) }
            return more.isEmpty ? nil : "\(path): unexpected \(more.joined(separator: ", "))"
        default:
            return expected == found ? nil : "\(path): \(Self.text(found)), expected \(Self.text(expected))"
        }
    }

    private static let others = "..."

    private mutating func problem(with found: JSONValue, pattern: String, at path: String) -> String? {
        if let place = Place(whole: pattern), !place.kind.isText {
            let isRight =
                switch place.kind {
                case .any: true
                case .number: found.number != nil
                case .date:
                    found.object?.count == 1 && found.object?.string("$date").map { Place.Kind.time.fits($0) } == true
                default: false
                }
            guard isRight else { return "\(path): \(Self.text(found)), expected \(pattern)" }
            if let name = place.name { known[name] = found }
            return nil
        }
        let wanted = filled(.string(pattern))
        guard case .string(let wantedText) = wanted else {
            return wanted == found ? nil : "\(path): \(Self.text(found)), expected \(Self.text(wanted))"
        }
        guard let text = found.string, matches(text, wantedText) else {
            return "\(path): \(Self.text(found)), expected \(Self.text(wanted))"
        }
        return nil
    }

    /// Whether a text is as expected. What has a name is known from then on.
    package mutating func matches(_ text: String, _ pattern: String) -> Bool {
        var named: [(String, String)] = []
        guard Self.matches(text[...], Self.pieces(filled(pattern))[...], &named) else { return false }
        for (name, value) in named { known[name] = .string(value) }
        return true
    }

    private static func matches(
        _ text: Substring, _ pieces: ArraySlice<Piece>, _ named: inout [(String, String)]
    ) -> Bool {
        guard let first = pieces.first else { return text.isEmpty }
        switch first {
        case .literal(let literal):
            return text.hasPrefix(literal) && matches(text.dropFirst(literal.count), pieces.dropFirst(), &named)
        case .place(let place):
            // The longest that fits, so that an id is not cut.
            for end in text.indices.reversed().map({ text.index(after: $0) }) {
                let part = text[..<end]
                guard place.kind.fits(String(part)), matches(text[end...], pieces.dropFirst(), &named) else { continue }
                if let name = place.name { named.append((name, String(part))) }
                return true
            }
            return false
        }
    }

    private enum Piece {
        case literal(String)
        case place(Place)
    }

    private static func pieces(_ pattern: String) -> [Piece] {
        var pieces: [Piece] = []
        var literal = ""
        var rest = pattern[...]
        while let open = rest.firstIndex(of: "<") {
            literal += rest[..<open]
            if let close = rest[open...].firstIndex(of: ">"), let place = Place(whole: String(rest[open...close])) {
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                pieces.append(.place(place))
                rest = rest[rest.index(after: close)...]
            } else {
                literal.append("<")
                rest = rest[rest.index(after: open)...]
            }
        }
        literal += rest
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }

    private static func text(_ value: JSONValue) -> String {
        String(String(decoding: JSONWriter.bytes(value), as: UTF8.self).prefix(400))
    }
}

/// A place in a pattern, such as `<id:space>`.
private struct Place {
    enum Kind: String {
        case id, time, word, text, address, hex, date, number, any

        var isText: Bool {
            switch self {
            case .id, .time, .word, .text, .address, .hex: true
            case .date, .number, .any: false
            }
        }

        func fits(_ text: String) -> Bool {
            switch self {
            case .id: text.wholeMatch(of: /[A-Za-z0-9]+/) != nil
            case .time: text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
            case .word: text.wholeMatch(of: /\S+/) != nil
            case .text: !text.isEmpty
            case .address: text.wholeMatch(of: /(127\.0\.0\.1|\[::1\]):\d+/) != nil
            case .hex: text.wholeMatch(of: /[0-9a-f]+/) != nil
            case .date, .number, .any: false
            }
        }
    }

    let kind: Kind
    let name: String?

    init?(whole text: String) {
        guard text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let kind = Kind(rawValue: String(first)) else { return nil }
        self.kind = kind
        name = parts.count == 2 ? String(parts[1]) : nil
    }
}
