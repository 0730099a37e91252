/// The help page of a command: what it is for, then usage, arguments, options and subcommands.
struct HelpPage {
    let path: [Command]

    var text: String {
        guard let command = path.last else { return "" }
        var sections = ["OVERVIEW: \(command.abstract)"]
        if !command.discussion.isEmpty { sections.append(command.discussion) }
        sections.append("USAGE: \(usage(command))")
        let arguments = command.arguments.map { (label: "<\($0.name.lowercased())>", help: $0.help) }
        if !arguments.isEmpty { sections.append("ARGUMENTS:\n" + table(arguments)) }
        var options = command.options.map { (label: label($0), help: $0.help) }
        if path.count == 1 { options.append(("--version", "Show the version.")) }
        options.append(("-h, --help", "Show help information."))
        sections.append("OPTIONS:\n" + table(options))
        if !command.subcommands.isEmpty {
            sections.append("SUBCOMMANDS:\n" + table(command.subcommands.map { (label: $0.name, help: $0.abstract) }))
            let name = path.map(\.name).joined(separator: " ")
            sections.append("  See '\(name) help <subcommand>' for detailed help.")
        }
        return sections.joined(separator: "\n\n")
    }

    private func usage(_ command: Command) -> String {
        var words = path.map(\.name)
        for option in command.options {
            words.append(option.value.map { "[--\(option.name) \($0)]" } ?? "[--\(option.name)]")
        }
        for argument in command.arguments {
            words.append(argument.isOptional ? "[<\(argument.name.lowercased())>]" : "<\(argument.name.lowercased())>")
        }
        if !command.subcommands.isEmpty { words.append("<subcommand>") }
        return words.joined(separator: " ")
    }

    private func label(_ option: Command.Option) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        let value = option.value.map { " \($0)" } ?? ""
        return "\(short)--\(option.name)\(value)"
    }

    private func table(_ rows: [(label: String, help: String)]) -> String {
        let column = 26
        return rows.map { row in
            let label = "  " + row.label
            // A label that does not fit its column has its help on the next line.
            guard label.count < column else { return label + "\n" + String(repeating: " ", count: column) + row.help }
            return label + String(repeating: " ", count: column - label.count) + row.help
        }.joined(separator: "\n")
    }
}
