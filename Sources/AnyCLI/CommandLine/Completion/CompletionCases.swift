/// The `case` branches that the scripts for bash and zsh have alike, which read what was typed so far.
struct CompletionCases {
    let nodes: [CompletionScript.Node]
    /// The script's variable for the words of the command so far.
    let pathVariable: String

    /// How a word leads on: to a subcommand, to an option's value, or to the next position.
    var steps: String {
        var lines: [String] = []
        for node in nodes {
            if node.command.isGroup {
                lines += node.command.subcommands.map { command in
                    let path = "\"\(node.path) \(command.name)\""
                    return "\(path)) \(pathVariable)=\(path) ;;"
                }
            }
            if !node.valued.isEmpty {
                lines.append(
                    node.valued.map { "\"\(node.path) --\($0.name)\"" }.joined(separator: "|") + ") option=$word ;;")
            }
        }
        lines.append("*\" -\"*) ;;")
        lines.append("*) position=$((position + 1)) ;;")
        return Self.indented(lines, by: 12)
    }

    /// What an option's value is completed with.
    func values(_ reply: (Command.Completion) -> String?) -> String {
        let lines = nodes.flatMap { node in
            node.valued.compactMap { option in
                reply(option.completion).map { "\"\(node.path) --\(option.name)\") \($0); return ;;" }
            }
        }
        return Self.indented(lines, by: 8)
    }

    /// What the names of options are completed with.
    func options(_ reply: (CompletionScript.Node) -> String) -> String {
        Self.indented(nodes.map { "\"\($0.path)\") \(reply($0)) ;;" }, by: 12)
    }

    /// What a subcommand or an argument is completed with.
    func words(
        subcommands: ([Command]) -> String, arguments: (Command.Completion) -> String?
    ) -> String {
        let lines = nodes.flatMap { node -> [String] in
            if node.command.isGroup { return ["\"\(node.path) 0\") \(subcommands(node.command.subcommands)) ;;"] }
            return node.command.arguments.enumerated().compactMap { position, argument in
                arguments(argument.completion).map { "\"\(node.path) \(position)\") \($0) ;;" }
            }
        }
        return Self.indented(lines, by: 8)
    }

    private static func indented(_ lines: [String], by count: Int) -> String {
        lines.map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}
