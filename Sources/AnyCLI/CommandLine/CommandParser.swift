import AnyServer

/// Reads a command line against the tree of commands.
struct CommandParser {
    /// What a command line asks for.
    enum Request {
        case run(Command, Values)
        case help([Command])
        case version
    }

    /// A command line that can not be carried out, in words that say how to mend it.
    struct Failure: Error {
        let message: String
    }

    let root: Command

    func parse(_ words: [String]) throws(Failure) -> Request {
        var path = [root]
        var rest = words[...]
        while let word = rest.first, let command = path.last, !command.subcommands.isEmpty {
            if word == "--version", path.count == 1 { return .version }
            if word == "help" || word == "--help" || word == "-h" { break }
            guard !word.hasPrefix("-") else { throw Failure(message: "unknown option \(word)") }
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                throw unknown(word, "command", among: command.subcommands.map(\.name), after: path)
            }
            path.append(next)
            rest = rest.dropFirst()
        }
        return try request(path, rest)
    }

    private func request(_ path: [Command], _ words: ArraySlice<String>) throws(Failure) -> Request {
        guard let command = path.last, command.run != nil else {
            if words.first == "help" { return try help(words.dropFirst(), path) }
            return .help(path)
        }
        var values = Values()
        var words = words
        var onlyArguments = false
        while let word = words.popFirst() {
            if onlyArguments || word == "-" || !word.hasPrefix("-") {
                values.add(argument: word)
            } else if word == "--" {
                onlyArguments = true
            } else if word == "--help" || word == "-h" {
                return .help(path)
            } else {
                try take(word, &words, &values, path, command)
            }
        }
        try checkCount(values, path, command)
        return .run(command, values)
    }

    private func take(
        _ word: String, _ words: inout ArraySlice<String>, _ values: inout Values, _ path: [Command], _ command: Command
    ) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let option = command.options.first { "--\($0.name)" == name || $0.short.map { "-\($0)" } == name }
        guard let option else {
            throw unknown(name, "option", among: command.options.map { "--\($0.name)" } + ["--help"], after: path)
        }
        guard option.isRepeated || values.options[option.name] == nil else {
            throw Failure(message: "option --\(option.name) is given twice")
        }
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw Failure(message: "option --\(option.name) takes no value") }
            return values.set(option.name, "")
        }
        guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
            throw Failure(message: "option --\(option.name) needs a value: --\(option.name) \(placeholder)")
        }
        values.set(option.name, value)
    }

    private func checkCount(_ values: Values, _ path: [Command], _ command: Command) throws(Failure) {
        let given = values.arguments.count
        if given > command.arguments.count {
            throw Failure(message: "unexpected argument \"\(values.arguments[command.arguments.count])\"" + seeHelp(path))
        }
        if let missing = command.arguments.dropFirst(given).first(where: { !$0.isOptional }) {
            throw Failure(message: "missing argument \(missing.name) (\(missing.help))" + seeHelp(path))
        }
    }

    private func help(_ words: ArraySlice<String>, _ path: [Command]) throws(Failure) -> Request {
        var path = path
        for word in words {
            guard let next = path.last?.subcommands.first(where: { $0.name == word }) else {
                throw unknown(word, "command", among: path.last?.subcommands.map(\.name) ?? [], after: path)
            }
            path.append(next)
        }
        return .help(path)
    }

    private func unknown(_ word: String, _ kind: String, among known: [String], after path: [Command]) -> Failure {
        var message = "unknown \(kind) \(word)"
        if let nearest = Spelling.nearest(to: word, among: known) { message += "; did you mean \(nearest)?" }
        return Failure(message: message + seeHelp(path))
    }

    private func seeHelp(_ path: [Command]) -> String {
        "; see \(path.map(\.name).joined(separator: " ")) --help"
    }
}
