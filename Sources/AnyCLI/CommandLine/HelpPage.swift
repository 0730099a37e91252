/// The help page of a command: what it is for, then usage, arguments, options and subcommands.
struct HelpPage {
    let path: [Command]

    // The width of a terminal, and where help begins beside a label.
    private static let width = 80
    private static let column = 26

    var text: String {
        guard let command = path.last else { return "" }
        var sections = ["OVERVIEW: " + Self.fill(command.abstract, indent: 0)]
        if !command.discussion.isEmpty {
            sections += Self.paragraphs(command.discussion).map { Self.fill($0, indent: 0) }
        }
        sections.append("USAGE: " + Self.fill(usage(command), indent: 7, first: 7))
        let arguments = command.arguments.map { (label: "<\($0.name)>", help: $0.help) }
        if !arguments.isEmpty { sections.append("ARGUMENTS:\n" + Self.table(arguments)) }
        sections.append("OPTIONS:\n" + Self.table(options(command)))
        if !command.subcommands.isEmpty {
            sections.append("SUBCOMMANDS:\n" + Self.table(command.subcommands.map { ($0.name, $0.abstract) }))
            sections.append(
                "  See 'any help\(path.dropFirst().map { " " + $0.name }.joined()) <subcommand>' for detailed help.")
        }
        return sections.joined(separator: "\n\n")
    }

    private func usage(_ command: Command) -> [String] {
        var words = path.map(\.name)
        for option in command.allOptions {
            let text = Self.label(option) + (option.isRepeated ? " ..." : "")
            words.append(option.isRequired ? text : "[\(text)]")
        }
        words += command.arguments.map { $0.isOptional ? "[<\($0.name)>]" : "<\($0.name)>" }
        if command.isGroup { words.append("<subcommand>") }
        return words
    }

    private func options(_ command: Command) -> [(label: String, help: String)] {
        var rows = command.allOptions.map { (label: Self.label($0), help: $0.help) }
        if path.count == 1 {
            rows += Command.Option.client.map { (label: Self.label($0), help: $0.help) }
            rows.append((CompletionScript.option + " <shell>", "Print what completes words in bash, zsh or fish."))
            rows.append(("--version", "Show the version."))
        }
        rows.append(("-h, --help", "Show help information."))
        return rows
    }

    private static func label(_ option: Command.Option) -> String {
        "--\(option.name)" + (option.value.map { " <\($0)>" } ?? "")
    }

    private static func table(_ rows: [(label: String, help: String)]) -> String {
        rows.map { row in
            let label = "  " + row.label
            // A label that does not fit its column has its help on the next line.
            guard label.count < column else {
                return label + "\n" + String(repeating: " ", count: column)
                    + fill(row.help, indent: column, first: column)
            }
            return label + String(repeating: " ", count: column - label.count)
                + fill(row.help, indent: column, first: column)
        }.joined(separator: "\n")
    }

    private static func paragraphs(_ text: String) -> [String] {
        var paragraphs = [""]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                paragraphs.append("")
            } else {
                paragraphs[paragraphs.count - 1] += (paragraphs[paragraphs.count - 1].isEmpty ? "" : " ") + line
            }
        }
        return paragraphs
    }

    private static func fill(_ text: String, indent: Int, first: Int = 0) -> String {
        fill(text.split(separator: " ").map(String.init), indent: indent, first: first)
    }

    /// Breaks text between words.
    ///
    /// - Parameters:
    ///   - indent: how far lines after the first are moved in.
    ///   - first: how much of the first line is taken.
    private static func fill(_ words: [String], indent: Int, first: Int) -> String {
        var lines = ""
        var used = first
        for word in words {
            if used > first || !lines.isEmpty, used + 1 + word.count > width, used > indent {
                lines += "\n" + String(repeating: " ", count: indent) + word
                used = indent + word.count
            } else {
                let isStart = lines.isEmpty
                lines += (isStart ? "" : " ") + word
                used += word.count + (isStart ? 0 : 1)
            }
        }
        return lines
    }
}
