/// The script for fish.
struct FishCompletion {
    let nodes: [CompletionScript.Node]

    var text: String {
        let helpers = """
            # Completes the words of any; load with: any \(CompletionScript.option) fish | source
            function __any_at
                set -l path any
                set -l position 0
                set -l option
                set -l words (commandline -opc)
                for word in $words[2..-1]
                    if test -n "$option"
                        set option
                        continue
                    end
                    switch "$path $word"
            \(steps)
                    end
                end
                test "$path" = "$argv[1]"; and begin
                    test (count $argv) -lt 2; or test "$position" = "$argv[2]"
                end
            end
            complete -c any -f

            """
        return helpers + lines.joined(separator: "\n") + "\n"
    }

    private var steps: String {
        var lines: [String] = []
        for node in nodes {
            if node.command.isGroup {
                lines += node.command.subcommands.flatMap {
                    ["case '\(node.path) \($0.name)'", "    set path '\(node.path) \($0.name)'"]
                }
            }
            if !node.valued.isEmpty {
                lines.append("case " + node.valued.map { "'\(node.path) --\($0.name)'" }.joined(separator: " "))
                lines.append("    set option $word")
            }
        }
        lines += ["case '* -*'", "case '*'", "    set position (math $position + 1)"]
        return lines.map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }

    private var lines: [String] {
        nodes.flatMap { node -> [String] in
            var lines = node.options.map { option -> String in
                let takes = option.value == nil ? "" : value(option.completion)
                return
                    "complete -c any -n \"__any_at '\(node.path)'\" -l \(option.name)\(takes) -d \(CompletionScript.quoted(option.help))"
            }
            lines += node.command.subcommands.map {
                "complete -c any -n \"__any_at '\(node.path)' 0\" -a \($0.name) -d \(CompletionScript.quoted($0.abstract))"
            }
            for (position, argument) in node.command.arguments.enumerated() {
                let offered = candidates(argument.completion)
                if !offered.isEmpty {
                    lines.append("complete -c any -n \"__any_at '\(node.path)' \(position)\"\(offered)")
                }
            }
            return lines
        }
    }

    // Exclusive, or fish offers files for every value.
    private func value(_ completion: Command.Completion) -> String {
        if case .files = completion { return " -r -F" }
        return " -x" + candidates(completion)
    }

    private func candidates(_ completion: Command.Completion) -> String {
        switch completion {
        case .none: ""
        case .words(let words): " -a " + CompletionScript.quoted(words.joined(separator: " "))
        case .files: " -F"
        case .directories: " -a '(__fish_complete_directories)'"
        }
    }
}
