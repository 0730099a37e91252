/// A place in a text, both counted from 1.
struct YAMLMark: Hashable {
    var line: Int
    var column: Int
}

/// A value of a YAML document, and where it stands.
struct YAMLNode: Equatable {
    indirect enum Content: Equatable {
        /// A text. Only a plain one, without quotes, can be null, a Boolean or a number.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    var content: Content
    var mark: YAMLMark

    /// Whether nothing is given here: `null`, `~` or no text at all, as YAML 1.2's core schema has it, or an empty text.
    var isUnset: Bool {
        guard case .scalar(let text, let isPlain) = content else { return false }
        return text.isEmpty || isPlain && ["~", "null", "Null", "NULL"].contains(text)
    }

    /// The entries of a mapping.
    var entries: [YAMLEntry]? {
        guard case .mapping(let entries) = content else { return nil }
        return entries
    }

    /// The value of `key` in a mapping.
    subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key == key }?.value
    }
}

/// A key of a mapping with its value.
struct YAMLEntry: Equatable {
    var key: String
    var mark: YAMLMark
    var value: YAMLNode
}
