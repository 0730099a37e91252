import AnySyncNet

/// What the user asks for.
struct Options: Sendable {
    /// How long and how much of everything.
    var scale = Scale.whole
    var attacks = Attack.all
    /// The transports; `nil` for each that an attack is played over.
    var kinds: [ConnectionKind]?
    var isJSON = false
    /// What a base of the 99th percentile counts at least, in milliseconds.
    var floor = 5.0

    enum Reading {
        case options(Options)
        case help
        case wrong(String)
    }

    static func read(_ words: [String]) -> Reading {
        var options = Options()
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "-h", "--help": return .help
            case "--json": options.isJSON = true
            case "--quick": options.scale = .quick
            case "--only":
                guard let name = rest.popFirst() else { return .wrong("--only needs a name") }
                names += name.split(separator: ",").map(String.init)
            case "--over":
                guard let kind = rest.popFirst().flatMap(ConnectionKind.init(rawValue:)) else {
                    return .wrong("--over needs yamux, tls+yamux or quic")
                }
                options.kinds = (options.kinds ?? []) + [kind]
            case "--floor":
                guard let text = rest.popFirst(), let floor = Double(text), floor > 0, floor <= 10_000 else {
                    return .wrong("--floor needs milliseconds, above 0 and at most 10000")
                }
                options.floor = floor
            default: return .wrong("unknown word \(word)")
            }
        }
        for name in names where !Attack.all.contains(where: { $0.name == name }) {
            return .wrong("no attack is called \(name): \(Attack.all.map(\.name).joined(separator: ", "))")
        }
        if !names.isEmpty { options.attacks = Attack.all.filter { names.contains($0.name) } }
        return .options(options)
    }

    static var help: String {
        let width = Attack.all.map(\.name.count).max() ?? 0
        let attacks = Attack.all.map { attack in
            "  \(attack.name)\(String(repeating: " ", count: width - attack.name.count))  \(attack.abstract)"
        }
        return """
            OVERVIEW: Attack a push node while an honest client measures

            Starts a node of its own on loopback for each attack and transport, lets an honest client send \(Scale.whole.rate)
            notifications a second before, during and after the attack, and prints a table. Ends with 0 when the node holds
            against every attack, with 1 when it does not, with 2 when something else went wrong. The whole takes about
            ten minutes; progress goes to standard error.

            USAGE: scripts/attack [--only NAME[,NAME…]] [--over TRANSPORT] [--quick] [--floor MS] [--json]

            OPTIONS:
              --only NAME             Only these attacks; may be repeated.
              --over TRANSPORT        Only over yamux, tls+yamux or quic; may be repeated.
              --quick                 A second or two of each: shows that the tool works, and little of the node.
              --floor MS              The least that a base of the 99th percentile counts. Default: 5.
              --json                  Print one JSON object instead of a table.
              -h, --help              Show help information.

            ATTACKS:
            \(attacks.joined(separator: "\n"))

            HOLDS MEANS:
            \(Judge.rules)
            """
    }
}
