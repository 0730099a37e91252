/// A value before it is read.
enum SettingInput {
    /// A value of a file.
    case node(YAMLNode)
    /// The text of a flag, a variable or a host's option, which is never empty.
    case text(String)

    /// A text without line breaks or other control characters, which no short value has.
    func line() throws(SettingProblem) -> String {
        let text = try anyText()
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .invalid("it has control characters; remove them")
        }
        return text
    }

    /// A text as it is.
    func anyText() throws(SettingProblem) -> String {
        switch self {
        case .text(let text): return text
        case .node(let node):
            guard case .scalar(let text, _) = node.content else { throw .wrongType }
            return text
        }
    }

    /// A text that a file has without quotes.
    func plain() throws(SettingProblem) -> String {
        if case .node(let node) = self, case .scalar(_, isPlain: false) = node.content { throw .wrongType }
        return try line()
    }
}

/// Why a value is none of a kind.
enum SettingProblem: Error {
    /// It is of another type.
    case wrongType
    /// It is of the right type, and wrong for the reason given.
    case invalid(String)
}

/// What a setting may be, and how it is read.
struct SettingKind<Value: Sendable>: Sendable {
    /// What it should be, with an example where that helps.
    let expected: String
    let read: @Sendable (SettingInput) throws(SettingProblem) -> Value

    /// The same, or none.
    var optional: SettingKind<Value?> {
        SettingKind<Value?>(expected: expected) { input throws(SettingProblem) in try read(input) }
    }
}

extension SettingKind where Value == String {
    static let text = SettingKind(expected: "a text") { input throws(SettingProblem) in try input.line() }

    /// Many lines, as `|` introduces them.
    static let document = SettingKind(expected: "a text; put | after the key and indent the lines below it") {
        input throws(SettingProblem) in try input.anyText()
    }
}

extension SettingKind where Value == Bool {
    static let boolean = SettingKind(expected: "true or false") { input throws(SettingProblem) in
        let text = try input.plain()
        if ["true", "True", "TRUE"].contains(text) { return true }
        if ["false", "False", "FALSE"].contains(text) { return false }
        // Go's ParseBool takes these too, and the variables of `any` are read with it.
        if case .text = input {
            if ["1", "t", "T"].contains(text) { return true }
            if ["0", "f", "F"].contains(text) { return false }
        }
        throw .wrongType
    }
}

extension SettingKind where Value == Int {
    static func integer(in range: ClosedRange<Int>) -> SettingKind {
        SettingKind(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            input throws(SettingProblem) in
            guard let number = Int(try input.plain()), range.contains(number) else { throw .wrongType }
            return number
        }
    }
}

extension SettingKind where Value == Duration {
    static let duration = SettingKind(expected: "a duration such as 10s, 500ms or 1m30s") {
        input throws(SettingProblem) in
        guard let duration = DurationText.parse(try input.line()) else { throw .wrongType }
        return duration
    }
}

extension SettingKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's words.
    static var choice: SettingKind {
        let words = Value.allCases.map(\.rawValue)
        let expected = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return SettingKind(expected: expected) { input throws(SettingProblem) in
            guard let value = Value(rawValue: try input.line()) else { throw .wrongType }
            return value
        }
    }
}

extension SettingKind {
    /// A list: in a file a YAML sequence, elsewhere separated by commas.
    static func list<Element: Sendable>(
        of kind: SettingKind<Element>, limit: Int
    ) -> SettingKind where Value == [Element] {
        SettingKind(expected: "a list, each \(kind.expected)") { input throws(SettingProblem) in
            let inputs: [SettingInput]
            switch input {
            case .node(let node):
                guard case .sequence(let nodes) = node.content else { throw .wrongType }
                inputs = nodes.filter { !$0.isUnset }.map { .node($0) }
            case .text(let text):
                inputs = text.split(separator: ",").map { $0.trimmingSpaces }.filter { !$0.isEmpty }.map { .text($0) }
            }
            guard inputs.count <= limit else {
                throw .invalid("it has \(inputs.count) entries, at most \(limit) are read")
            }
            var elements: [Element] = []
            for input in inputs { elements.append(try kind.read(input)) }
            return elements
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { String(start[...$0]) } ?? ""
    }
}
