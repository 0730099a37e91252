/// The sources of a configuration, from which each setting takes the value of the highest rank: file, environment, and
/// what the one who starts the server says.
struct ConfigurationLayers {
    /// A text given with a flag or by the host.
    struct Override {
        let text: String
        let source: ConfigurationSource
    }

    let path: String
    let file: YAMLNode?
    let environment: [String: String]
    /// By key.
    let overrides: [String: Override]

    private(set) var warnings: [ConfigurationWarning] = []
    private var keys: Set<String> = []
    private var blocks: Set<String> = []
    private var variables: Set<String> = []

    init(path: String = "", file: YAMLNode?, environment: [String: String], overrides: [String: Override]) {
        self.path = path
        self.file = file
        self.environment = environment
        self.overrides = overrides
    }

    /// The value of a setting. Values of lower rank must be right too: they count when the others are taken away.
    mutating func value<Value>(_ setting: Setting<Value>) throws(ConfigurationError) -> Sourced<Value> {
        keys.insert(setting.key)
        var result = Sourced(setting.standard)
        if let node = try node(setting.key), !node.isUnset {
            result = Sourced(try read(.node(node), as: setting, from: source(node.mark)), source(node.mark))
            if !setting.isUsed { warnings.append(.unusedKey(setting.key, result.source)) }
        }
        if let variable = setting.variable {
            variables.insert(variable)
            if let text = environment[variable], !text.isEmpty {
                let source = ConfigurationSource.environment(variable: variable)
                result = Sourced(try read(.text(text), as: setting, from: source), source)
            }
        }
        if let override = overrides[setting.key], !override.text.isEmpty {
            result = Sourced(try read(.text(override.text), as: setting, from: override.source), override.source)
        }
        return result
    }

    /// Takes a part of the file as it is: it is for something that this server does not have.
    mutating func unusedBlock(_ key: String) throws(ConfigurationError) {
        blocks.insert(key)
        guard let node = file?[key], !node.isUnset else { return }
        guard node.entries != nil else { throw wrongType(key, node, expected: "a mapping") }
        warnings.append(.unusedKey(key, source(node.mark)))
    }

    /// Refuses what is in the file and no setting, and doubts variables that are nearly one. To be called last.
    mutating func finish() throws(ConfigurationError) {
        if let file { try checkKeys(of: file, prefix: "") }
        for name in environment.keys.sorted() where name.hasPrefix("ANY_PUSH_") && !variables.contains(name) {
            let known = variables.filter { $0.hasPrefix("ANY_PUSH_") }.sorted()
            if let suggestion = Spelling.nearest(to: name, among: known) {
                warnings.append(.unknownVariable(name, suggestion: suggestion))
            }
        }
    }

    // Where the file has a key, if its parts are mappings down to there.
    private func node(_ key: String) throws(ConfigurationError) -> YAMLNode? {
        guard var node = file, !node.isUnset else { return nil }
        guard node.entries != nil else { throw wrongType("the file", node, expected: "a mapping of keys to values") }
        var parts = key.split(separator: ".")[...]
        var prefix = ""
        while let part = parts.popFirst() {
            prefix += prefix.isEmpty ? part : "." + part
            guard let child = node[String(part)], !child.isUnset else { return nil }
            if !parts.isEmpty, child.entries == nil { throw wrongType(prefix, child, expected: "a mapping") }
            node = child
        }
        return node
    }

    private func checkKeys(of node: YAMLNode, prefix: String) throws(ConfigurationError) {
        for entry in node.entries ?? [] {
            let key = prefix + entry.key
            if keys.contains(key) || blocks.contains(key) { continue }
            guard keys.contains(where: { $0.hasPrefix(key + ".") }) else {
                throw ConfigurationError(.unknownKey(key, suggestion: suggestion(for: key)), at: source(entry.mark))
            }
            try checkKeys(of: entry.value, prefix: key + ".")
        }
    }

    private func suggestion(for key: String) -> String? {
        let known = (keys.union(blocks)).sorted()
        // A key that has lost its section, or got the letters of another case.
        let name = key.lowercased()
        if let moved = known.first(where: { $0.lowercased() == name || $0.lowercased().hasSuffix("." + name) }) {
            return moved
        }
        let sections = Set(known.compactMap { key in key.lastIndex(of: ".").map { String(key[..<$0]) } })
        return Spelling.nearest(to: key, among: known + sections.sorted())
    }

    private func read<Value>(
        _ input: SettingInput, as setting: Setting<Value>, from source: ConfigurationSource
    ) throws(ConfigurationError) -> Value {
        do throws(SettingProblem) { return try setting.kind.read(input) } catch {
            switch error {
            case .wrongType:
                throw ConfigurationError(
                    .wrongType(key: setting.key, expected: setting.kind.expected, found: input.description), at: source
                )
            case .invalid(let problem):
                throw ConfigurationError(.invalidValue(key: setting.key, problem: problem), at: source)
            }
        }
    }

    private func wrongType(_ key: String, _ node: YAMLNode, expected: String) -> ConfigurationError {
        ConfigurationError(
            .wrongType(key: key, expected: expected, found: SettingInput.node(node).description), at: source(node.mark)
        )
    }

    private func source(_ mark: YAMLMark) -> ConfigurationSource {
        .file(path: path, line: mark.line, column: mark.column)
    }
}

extension SettingInput: CustomStringConvertible {
    private static let shownCharacters = 60

    /// What was found, for an error.
    var description: String {
        switch self {
        case .text(let text): Self.shown(text, quoted: true)
        case .node(let node):
            switch node.content {
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .scalar(let text, let isPlain): Self.shown(text, quoted: !isPlain)
            }
        }
    }

    private static func shown(_ text: String, quoted: Bool) -> String {
        let visible = String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(shownCharacters).map {
                    $0.properties.generalCategory == .control ? "\u{fffd}" : $0
                }))
        let cut = text.unicodeScalars.count > shownCharacters ? "…" : ""
        return quoted ? "\"\(visible)\(cut)\"" : visible + cut
    }
}
