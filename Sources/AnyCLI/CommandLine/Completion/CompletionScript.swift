/// What makes a shell complete the words of a command line, generated from the tree of commands.
struct CompletionScript {
    /// A shell that there is a script for.
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    /// The option that asks for a script.
    static let option = "--generate-completion-script"

    let root: Command

    /// The script for a shell.
    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletion(nodes: nodes).text
        case .zsh: ZshCompletion(nodes: nodes).text
        case .fish: FishCompletion(nodes: nodes).text
        }
    }

    /// A command and what may follow it.
    struct Node {
        /// The words that lead to it, the tool's own first.
        let path: String
        let command: Command
        /// Its options with those that every command has.
        let options: [Command.Option]

        /// The names of the options whose value is the next word.
        var valued: [Command.Option] { options.filter { $0.value != nil } }
    }

    private var nodes: [Node] {
        var nodes: [Node] = []
        func visit(_ command: Command, _ path: [String]) {
            let path = path + [command.name]
            var options = command.allOptions
            if path.count == 1 {
                options += Command.Option.client
                options.append(
                    Command.Option(
                        name: String(Self.option.dropFirst(2)), value: "shell", help: "Print what completes words.",
                        completion: .words(Shell.allCases.map(\.rawValue))))
                options.append(Command.Option(name: "version", help: "Show the version."))
            }
            options.append(Command.Option(name: "help", help: "Show help information."))
            nodes.append(Node(path: path.joined(separator: " "), command: command, options: options))
            for subcommand in command.subcommands { visit(subcommand, path) }
        }
        visit(root, [])
        return nodes
    }

    /// Text that a POSIX shell, or fish, reads as one word.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
