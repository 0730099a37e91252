/// Why a text can not be read as YAML.
struct YAMLError: Error, Equatable {
    enum Reason: Equatable {
        /// libyaml's words.
        case syntax(String)
        /// A tab where spaces must indent.
        case tab
        /// An alias, an anchor, or a merge key, which this reader has no use for.
        case alias
        /// A type given with `!`.
        case tag
        /// A key that the mapping has already, at this line.
        case duplicateKey(String, firstLine: Int)
        /// A key that is no text.
        case keyIsNoText
        /// Nested deeper than any configuration.
        case tooDeep(limit: Int)
        /// More values than any configuration has.
        case tooManyValues(limit: Int)
        /// A second document in the text.
        case severalDocuments
    }

    var reason: Reason
    var mark: YAMLMark
}

extension YAMLError.Reason: CustomStringConvertible {
    /// What is wrong, and what to do.
    var description: String {
        switch self {
        case .syntax(let problem): "not valid YAML: \(problem)"
        case .tab: "a tab can not indent YAML; use spaces"
        case .alias: "anchors and aliases (& and *) are not supported; write the value out"
        case .tag: "type tags (!) are not supported; leave the tag out"
        case .duplicateKey(let key, let line): "\"\(key)\" is there already, on line \(line); remove one of them"
        case .keyIsNoText: "a key must be a plain text"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .severalDocuments: "a second document; remove everything from the second --- on"
        }
    }
}
