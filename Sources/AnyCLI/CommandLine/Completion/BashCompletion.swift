/// The script for bash.
struct BashCompletion {
    let nodes: [CompletionScript.Node]

    var text: String {
        """
        # Completes the words of any; load with: source <(any \(CompletionScript.option) bash)
        _any() {
            local current="${COMP_WORDS[COMP_CWORD]}" path=any option= word index position=0
            for ((index = 1; index < COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                if [[ -n $option ]]; then
                    # bash makes words of their own of = and of what is around a colon.
                    [[ $word == = ]] || option=
                    continue
                fi
                case "$path $word" in
        \(steps)
                esac
            done
            COMPREPLY=()
            if [[ $current == = ]]; then current=; fi
            case "$path $option" in
        \(values)
                *" --"*) return ;;
            esac
            if [[ $current == -* ]]; then
                case "$path" in
        \(options)
                esac
                return
            fi
            case "$path $position" in
        \(words)
            esac
        }
        complete -F _any any

        """
    }

    // How a word leads on: to a subcommand, to an option's value, or to the next position.
    private var steps: String {
        var lines: [String] = []
        for node in nodes {
            if node.command.isGroup {
                lines += node.command.subcommands.map { "\"\(node.path) \($0.name)\") path=\"\(node.path) \($0.name)\" ;;" }
            }
            if !node.valued.isEmpty {
                lines.append(node.valued.map { "\"\(node.path) --\($0.name)\"" }.joined(separator: "|") + ") option=$word ;;")
            }
        }
        lines.append("*\" -\"*) ;;")
        lines.append("*) position=$((position + 1)) ;;")
        return indented(lines, by: 12)
    }

    private var values: String {
        let lines = nodes.flatMap { node in
            node.valued.compactMap { option in
                reply(option.completion).map { "\"\(node.path) --\(option.name)\") \($0); return ;;" }
            }
        }
        return indented(lines, by: 8)
    }

    private var options: String {
        indented(
            nodes.map { node in
                let names = node.options.map { "--" + $0.name }.joined(separator: " ")
                return "\"\(node.path)\") \(reply(names)) ;;"
            }, by: 12)
    }

    private var words: String {
        let lines = nodes.flatMap { node -> [String] in
            if node.command.isGroup {
                return ["\"\(node.path) 0\") \(reply(node.command.subcommands.map(\.name).joined(separator: " "))) ;;"]
            }
            return node.command.arguments.enumerated().compactMap { position, argument in
                reply(argument.completion).map { "\"\(node.path) \(position)\") \($0) ;;" }
            }
        }
        return indented(lines, by: 8)
    }

    private func reply(_ completion: Command.Completion) -> String? {
        switch completion {
        case .none: nil
        case .words(let words): reply(words.joined(separator: " "))
        case .files: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .directories: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        }
    }

    private func reply(_ words: String) -> String {
        "mapfile -t COMPREPLY < <(compgen -W \(CompletionScript.quoted(words)) -- \"$current\")"
    }

    private func indented(_ lines: [String], by count: Int) -> String {
        lines.map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}
