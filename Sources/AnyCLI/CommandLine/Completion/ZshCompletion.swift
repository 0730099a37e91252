/// The script for zsh.
struct ZshCompletion {
    let nodes: [CompletionScript.Node]

    var text: String {
        """
        #compdef any
        # Completes the words of any; write it to a file _any in a directory of $fpath.
        _any() {
            local path_=any option= word index position=0
            local -a candidates
            for ((index = 2; index < CURRENT; index++)); do
                word="${words[index]}"
                if [[ -n $option ]]; then
                    option=
                    continue
                fi
                case "$path_ $word" in
        \(steps)
                esac
            done
            case "$path_ $option" in
        \(values)
                *" --"*) return ;;
            esac
            if [[ ${words[CURRENT]} == -* ]]; then
                case "$path_" in
        \(options)
                esac
                _describe -o option candidates
                return
            fi
            case "$path_ $position" in
        \(words)
            esac
        }
        if [[ $funcstack[1] == _any ]]; then _any "$@"; else compdef _any any; fi

        """
    }

    private var steps: String {
        var lines: [String] = []
        for node in nodes {
            if node.command.isGroup {
                lines += node.command.subcommands.map { "\"\(node.path) \($0.name)\") path_=\"\(node.path) \($0.name)\" ;;" }
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
                action(option.completion).map { "\"\(node.path) --\(option.name)\") \($0); return ;;" }
            }
        }
        return indented(lines, by: 8)
    }

    private var options: String {
        indented(
            nodes.map { node in
                "\"\(node.path)\") candidates=(\(described(node.options.map { ("--" + $0.name, $0.help) }))) ;;"
            }, by: 12)
    }

    private var words: String {
        let lines = nodes.flatMap { node -> [String] in
            if node.command.isGroup {
                let commands = described(node.command.subcommands.map { ($0.name, $0.abstract) })
                return ["\"\(node.path) 0\") candidates=(\(commands)); _describe command candidates ;;"]
            }
            return node.command.arguments.enumerated().compactMap { position, argument in
                action(argument.completion).map { "\"\(node.path) \(position)\") \($0) ;;" }
            }
        }
        return indented(lines, by: 8)
    }

    private func action(_ completion: Command.Completion) -> String? {
        switch completion {
        case .none: nil
        case .words(let words): "compadd -- " + words.map(CompletionScript.quoted).joined(separator: " ")
        case .files: "_files"
        case .directories: "_files -/"
        }
    }

    // A colon ends the word and begins its description.
    private func described(_ rows: [(name: String, help: String)]) -> String {
        rows.map { CompletionScript.quoted("\($0.name):\($0.help)") }.joined(separator: " ")
    }

    private func indented(_ lines: [String], by count: Int) -> String {
        lines.map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}
