import AnyServer

/// Reads a command line against the tree of commands.
struct CommandParser {
    /// What a command line asks for.
    enum Request {
        case run(Command, Values)
        /// The page of a command, and whether it was asked for: a group of commands alone does nothing else.
        case help([Command], isAsked: Bool)
        case version
        case completionScript(CompletionScript.Shell)
    }

    let root: Command

    func parse(_ words: [String]) throws(CommandFailure) -> Request {
        var reading = Reading(root: root, words: words[...])
        return try reading.request()
    }

    /// The command line as far as it is read.
    private struct Reading {
        var path: [Command]
        var words: ArraySlice<String>
        var values = Values()
        /// Options that stood before the command they are for.
        var early: [Command.Option] = []

        init(root: Command, words: ArraySlice<String>) {
            path = [root]
            self.words = words
        }

        var command: Command { path[path.count - 1] }

        mutating func request() throws(CommandFailure) -> Request {
            while command.isGroup {
                guard let word = words.popFirst() else { return .help(path, isAsked: false) }
                if word == "--help" || word == "-h" { return .help(path, isAsked: true) }
                if word == "help" { return try help() }
                if path.count == 1, let request = try rootRequest(word) { return request }
                if word.hasPrefix("-") {
                    // Those of all clients may stand before the command as well.
                    try take(word, among: Command.Option.client)
                } else {
                    path.append(try subcommand(word))
                }
            }
            return try leaf()
        }

        private mutating func rootRequest(_ word: String) throws(CommandFailure) -> Request? {
            if word == "--version" { return .version }
            guard word == CompletionScript.option || word.hasPrefix(CompletionScript.option + "=") else { return nil }
            let shells = CompletionScript.Shell.allCases.map(\.rawValue).joined(separator: ", ")
            let name =
                word.contains("=") ? word.split(separator: "=", maxSplits: 1).last.map(String.init) : words.popFirst()
            guard let name, let shell = CompletionScript.Shell(rawValue: name) else {
                throw CommandFailure("\(CompletionScript.option) needs one of \(shells)")
            }
            return .completionScript(shell)
        }

        private mutating func leaf() throws(CommandFailure) -> Request {
            var onlyArguments = false
            while let word = words.popFirst() {
                if onlyArguments || word == "-" || !word.hasPrefix("-") {
                    values.add(argument: word)
                } else if word == "--" {
                    onlyArguments = true
                } else if word == "--help" || word == "-h" {
                    return .help(path, isAsked: true)
                } else {
                    try take(word, among: command.allOptions)
                }
            }
            try check()
            return .run(command, values)
        }

        private mutating func take(_ word: String, among options: [Command.Option]) throws(CommandFailure) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { "--\($0.name)" == name }) else {
                throw unknown(name, "option", among: options.map { "--\($0.name)" } + ["--help"])
            }
            if command.isGroup { early.append(option) }
            guard option.isRepeated || !values.flag(option) else {
                throw CommandFailure("option --\(option.name) is given twice")
            }
            guard let placeholder = option.value else {
                guard parts.count == 1 else { throw CommandFailure("option --\(option.name) takes no value") }
                return values.set(option, "")
            }
            guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
                throw CommandFailure("option --\(option.name) needs a value: --\(option.name) <\(placeholder)>")
            }
            values.set(option, value)
        }

        private mutating func check() throws(CommandFailure) {
            let known = command.allOptions
            for option in early where !known.contains(where: { $0.name == option.name }) {
                throw CommandFailure("option --\(option.name) is not for \(name)" + seeHelp)
            }
            let given = values.arguments
            if given.count > command.arguments.count {
                throw CommandFailure("unexpected argument \"\(given[command.arguments.count])\"" + seeHelp)
            }
            if let missing = command.arguments.dropFirst(given.count).first(where: { !$0.isOptional }) {
                throw CommandFailure("missing argument <\(missing.name)> (\(missing.help))" + seeHelp)
            }
            if let missing = known.first(where: { $0.isRequired && !values.flag($0) }) {
                throw CommandFailure(
                    "missing option --\(missing.name) <\(missing.value ?? "")> (\(missing.help))" + seeHelp)
            }
            values.name(by: command.arguments)
            if let empty = command.arguments.first(where: { values.optional($0) == "" }) {
                throw CommandFailure("argument <\(empty.name)> is empty (\(empty.help))" + seeHelp)
            }
        }

        private mutating func help() throws(CommandFailure) -> Request {
            while let word = words.popFirst() {
                path.append(try subcommand(word))
            }
            return .help(path, isAsked: true)
        }

        private func subcommand(_ word: String) throws(CommandFailure) -> Command {
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                throw unknown(word, "command", among: command.subcommands.map(\.name))
            }
            return next
        }

        private func unknown(_ word: String, _ kind: String, among known: [String]) -> CommandFailure {
            var message = "unknown \(kind) \(word)"
            if let nearest = Spelling.nearest(to: word, among: known) { message += "; did you mean \(nearest)?" }
            return CommandFailure(message + seeHelp)
        }

        private var name: String { path.map(\.name).joined(separator: " ") }
        private var seeHelp: String { "; see \(name) --help" }
    }
}
