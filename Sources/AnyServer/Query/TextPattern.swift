/// A regular expression for `$regex`, in the part of RE2's syntax that filters use: literals, `.`, classes, `\d \w \s \b` and
/// their opposites, `^ $`, groups, `|`, `* + ? {m,n}` and a leading `(?i)`.
///
/// It comes from a client, so it is followed along all its ways at once: matching takes time in proportion to the text times
/// the pattern, whatever they are. Texts are compared scalar by scalar.
struct TextPattern: Hashable, Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// The longest pattern, in bytes.
    static let maximumByteCount = 256
    /// Steps of a pattern, repetitions written out.
    static let maximumSteps = 1024
    /// Groups within one another.
    static let maximumDepth = 32

    private let source: String
    private let ignoresCase: Bool
    private let steps: [Step]

    fileprivate enum Step: Hashable, Sendable {
        case scalar(ScalarSet)
        case start, end
        case boundary(Bool)
        /// Goes on at both places.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// Reads a pattern.
    ///
    /// - Throws: ``Failure``.
    init(_ source: String, ignoresCase: Bool = false) throws(Failure) {
        guard source.utf8.count <= Self.maximumByteCount else {
            throw Failure(reason: "it has more than \(Self.maximumByteCount) bytes")
        }
        var text = Array(source.unicodeScalars)
        var ignoresCase = ignoresCase
        if source.hasPrefix("(?i)") {
            ignoresCase = true
            text.removeFirst(4)
        }
        var parser = TextPatternParser(text)
        var compiler = TextPatternCompiler()
        try compiler.add(try parser.whole())
        self.source = source
        self.ignoresCase = ignoresCase
        steps = compiler.steps + [.match]
    }

    static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.source == right.source && left.ignoresCase == right.ignoresCase
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(ignoresCase)
    }

    /// Whether a part of the text fits.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var current: [Int] = []
        var marks = [Int](repeating: -1, count: steps.count)
        for position in 0...scalars.count {
            // A part may begin anywhere.
            if follow(0, at: position, in: scalars, into: &current, &marks) { return true }
            guard position < scalars.count else { break }
            var next: [Int] = []
            for step in current {
                guard case .scalar(let set) = steps[step], set.contains(scalars[position], ignoresCase: ignoresCase)
                else { continue }
                if follow(step + 1, at: position + 1, in: scalars, into: &next, &marks) { return true }
            }
            current = next
        }
        return false
    }

    /// Adds the steps that can be taken without a scalar.
    ///
    /// - Returns: whether the end of the pattern is among them.
    private func follow(
        _ first: Int, at position: Int, in text: [Unicode.Scalar], into list: inout [Int], _ marks: inout [Int]
    ) -> Bool {
        var open = [first]
        while let step = open.popLast() {
            guard marks[step] != position else { continue }
            marks[step] = position
            switch steps[step] {
            case .match: return true
            case .scalar: list.append(step)
            case .jump(let target): open.append(target)
            case .split(let left, let right): open += [right, left]
            case .start: if position == 0 { open.append(step + 1) }
            case .end: if position == text.count { open.append(step + 1) }
            case .boundary(let isWanted):
                let before = position > 0 && ScalarSet.isWord(text[position - 1])
                let after = position < text.count && ScalarSet.isWord(text[position])
                if (before != after) == isWanted { open.append(step + 1) }
            }
        }
        return false
    }
}

/// Scalars that a step takes.
private struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var isInverted = false

    static let digits = ScalarSet(ranges: ["0"..."9"])
    static let words = ScalarSet(ranges: ["0"..."9", "A"..."Z", "_"..."_", "a"..."z"])
    static let spaces = ScalarSet(ranges: ["\t"..."\r", " "..." "])
    static let anything = ScalarSet(ranges: ["\n"..."\n"], isInverted: true)

    static func isWord(_ scalar: Unicode.Scalar) -> Bool { words.has(scalar) }

    var inverted: ScalarSet { ScalarSet(ranges: ranges, isInverted: !isInverted) }

    func contains(_ scalar: Unicode.Scalar, ignoresCase: Bool) -> Bool {
        guard ignoresCase else { return has(scalar) != isInverted }
        let properties = scalar.properties
        let forms =
            [scalar]
            + [properties.lowercaseMapping, properties.uppercaseMapping].compactMap { text in
                text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
            }
        return forms.contains(where: has) != isInverted
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar) }
    }
}

/// What a pattern is made of.
private indirect enum TextPatternNode {
    case empty
    case step(TextPattern.Step)
    case sequence([TextPatternNode])
    case either([TextPatternNode])
    case repeated(TextPatternNode, least: Int, most: Int?)
}

private struct TextPatternCompiler {
    private(set) var steps: [TextPattern.Step] = []

    mutating func add(_ node: TextPatternNode) throws(TextPattern.Failure) {
        guard steps.count < TextPattern.maximumSteps else {
            throw TextPattern.Failure(reason: "its repetitions are too many")
        }
        switch node {
        case .empty: break
        case .step(let step): steps.append(step)
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .either(let nodes): try addEither(nodes[...])
        case .repeated(let node, let least, let most):
            for _ in 0..<least { try add(node) }
            guard let most else {
                let split = steps.count
                steps.append(.jump(0))
                try add(node)
                steps.append(.jump(split))
                steps[split] = .split(split + 1, steps.count)
                return
            }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(steps.count)
                steps.append(.jump(0))
                try add(node)
            }
            for split in splits { steps[split] = .split(split + 1, steps.count) }
        }
    }

    private mutating func addEither(_ nodes: ArraySlice<TextPatternNode>) throws(TextPattern.Failure) {
        guard let first = nodes.first else { return }
        guard nodes.count > 1 else { return try add(first) }
        let split = steps.count
        steps.append(.jump(0))
        try add(first)
        let jump = steps.count
        steps.append(.jump(0))
        steps[split] = .split(split + 1, steps.count)
        try addEither(nodes.dropFirst())
        steps[jump] = .jump(steps.count)
    }
}

private struct TextPatternParser {
    private let text: [Unicode.Scalar]
    private var position = 0

    init(_ text: [Unicode.Scalar]) {
        self.text = text
    }

    mutating func whole() throws(TextPattern.Failure) -> TextPatternNode {
        let node = try either(depth: 0)
        guard position == text.count else { throw TextPattern.Failure(reason: "it has a ) too many") }
        return node
    }

    private var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func either(depth: Int) throws(TextPattern.Failure) -> TextPatternNode {
        guard depth <= TextPattern.maximumDepth else { throw TextPattern.Failure(reason: "its groups are too deep") }
        var branches = [try sequence(depth: depth)]
        while take("|") { branches.append(try sequence(depth: depth)) }
        return branches.count == 1 ? branches[0] : .either(branches)
    }

    private mutating func sequence(depth: Int) throws(TextPattern.Failure) -> TextPatternNode {
        var nodes: [TextPatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            position += 1
            var node: TextPatternNode
            switch scalar {
            case "(":
                if take("?"), !take(":") {
                    throw TextPattern.Failure(reason: "of the forms (?…) it may have (?:…) only")
                }
                node = try either(depth: depth + 1)
                guard take(")") else { throw TextPattern.Failure(reason: "it lacks a )") }
            case "[": node = .step(.scalar(try set()))
            case ".": node = .step(.scalar(.anything))
            case "^": node = .step(.start)
            case "$": node = .step(.end)
            case "\\": node = .step(try escaped())
            case "*", "+", "?": throw TextPattern.Failure(reason: "it has a \(scalar) behind nothing")
            default: node = .step(.scalar(ScalarSet(ranges: [scalar...scalar])))
            }
            while let (least, most) = try quantifier() {
                node = .repeated(node, least: least, most: most)
                // Whether a repetition is greedy makes no difference to whether a text fits.
                _ = take("?")
                if let next, "*+?{".unicodeScalars.contains(next) {
                    throw TextPattern.Failure(reason: "it repeats a repetition")
                }
            }
            nodes.append(node)
        }
        return nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func quantifier() throws(TextPattern.Failure) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard next == "{" else { return nil }
        let start = position
        position += 1
        let least = number()
        var most = least
        if take(",") { most = number() }
        guard let least, take("}") else {
            // As RE2 has it, a brace that repeats nothing stands for itself.
            position = start
            return nil
        }
        let isOpen = text[position - 2] == ","
        guard least <= 1000, isOpen || (most ?? 0) <= 1000, isOpen || (most ?? 0) >= least else {
            throw TextPattern.Failure(reason: "a repetition is out of range")
        }
        return (least, isOpen ? nil : most)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = next, ("0"..."9").contains(scalar), digits.count < 5 {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        return Int(digits)
    }

    private mutating func escaped() throws(TextPattern.Failure) -> TextPattern.Step {
        guard let scalar = next else { throw TextPattern.Failure(reason: "it ends with a backslash") }
        position += 1
        switch scalar {
        case "b": return .boundary(true)
        case "B": return .boundary(false)
        case "A": return .start
        case "z": return .end
        default: return .scalar(try Self.set(escaped: scalar))
        }
    }

    private static func set(escaped scalar: Unicode.Scalar) throws(TextPattern.Failure) -> ScalarSet {
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.inverted
        case "w": return .words
        case "W": return ScalarSet.words.inverted
        case "s": return .spaces
        case "S": return ScalarSet.spaces.inverted
        case "n": return ScalarSet(ranges: ["\n"..."\n"])
        case "r": return ScalarSet(ranges: ["\r"..."\r"])
        case "t": return ScalarSet(ranges: ["\t"..."\t"])
        case "0"..."9", "A"..."Z", "a"..."z": throw TextPattern.Failure(reason: "it has an unknown \\\(scalar)")
        default: return ScalarSet(ranges: [scalar...scalar])
        }
    }

    private mutating func set() throws(TextPattern.Failure) -> ScalarSet {
        var set = ScalarSet(isInverted: take("^"))
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            position += 1
            if scalar == "\\" {
                guard let escaped = next else { break }
                position += 1
                let inner = try Self.set(escaped: escaped)
                guard !inner.isInverted else { throw TextPattern.Failure(reason: "a class has a \\\(escaped) in it") }
                set.ranges += inner.ranges
                continue
            }
            if next == "-", position + 1 < text.count, text[position + 1] != "]" {
                let last = text[position + 1]
                position += 2
                guard scalar <= last, last != "\\" else {
                    throw TextPattern.Failure(reason: "a range is turned around")
                }
                set.ranges.append(scalar...last)
            } else {
                set.ranges.append(scalar...scalar)
            }
        }
        guard take("]") else { throw TextPattern.Failure(reason: "it lacks a ]") }
        return set
    }
}
