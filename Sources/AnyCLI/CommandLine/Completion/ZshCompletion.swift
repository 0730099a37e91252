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
        \(cases.steps)
                esac
            done
            case "$path_ $option" in
        \(cases.values(action))
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

    private var cases: CompletionCases { CompletionCases(nodes: nodes, pathVariable: "path_") }
    private var options: String {
        cases.options { node in "candidates=(\(described(node.options.map { ("--" + $0.name, $0.help) })))" }
    }
    private var words: String {
        cases.words(
            subcommands: {
                "candidates=(\(described($0.map { ($0.name, $0.abstract) }))); _describe command candidates"
            },
            arguments: action)
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
}
