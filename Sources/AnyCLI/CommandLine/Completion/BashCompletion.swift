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
        \(cases.steps)
                esac
            done
            COMPREPLY=()
            if [[ $current == = ]]; then current=; fi
            case "$path $option" in
        \(cases.values(reply))
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

    private var cases: CompletionCases { CompletionCases(nodes: nodes, pathVariable: "path") }
    private var options: String { cases.options { node in reply(node.options.map { "--" + $0.name }) } }
    private var words: String {
        cases.words(subcommands: { reply($0.map(\.name)) }, arguments: reply)
    }

    private func reply(_ completion: Command.Completion) -> String? {
        switch completion {
        case .none: nil
        case .words(let words): reply(words)
        case .files: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .directories: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        }
    }

    private func reply(_ words: [String]) -> String {
        "mapfile -t COMPREPLY < <(compgen -W \(CompletionScript.quoted(words.joined(separator: " "))) -- \"$current\")"
    }
}
