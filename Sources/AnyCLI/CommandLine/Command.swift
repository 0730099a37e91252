/// One command of the tool, or a group of them: what help, parsing and completions are made from.
struct Command: Sendable {
    let name: String
    /// One line, without a full stop.
    let abstract: String
    /// More for the help page; paragraphs separated by blank lines.
    var discussion = ""
    var arguments: [Argument] = []
    var options: [Option] = []
    var subcommands: [Command] = []
    /// What it does; `nil` for a group.
    var run: (@Sendable (Values) async throws -> ExitCode)?

    /// A value that stands by its position.
    struct Argument: Sendable {
        /// Upper-case, as in the usage line.
        let name: String
        let help: String
        var isOptional = false
    }

    /// A value or a switch with a name.
    struct Option: Sendable {
        /// Without the dashes.
        let name: String
        var short: Character?
        /// The placeholder of its value, `nil` for a switch.
        var value: String?
        let help: String
        /// May be given several times.
        var isRepeated = false
    }
}

/// What a run of the tool ends with.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// The user's input was wrong, or what was asked did not hold.
    case failure = 1
    /// Something on this machine or on the server went wrong.
    case environment = 2
    /// The server could not be reached.
    case unreachable = 3
}

/// The values given on a command line.
struct Values: Sendable {
    fileprivate(set) var arguments: [String] = []
    fileprivate(set) var options: [String: [String]] = [:]

    /// Whether a switch was given.
    func flag(_ name: String) -> Bool {
        options[name] != nil
    }

    /// The last value of an option.
    func option(_ name: String) -> String? {
        options[name]?.last
    }

    /// All values of a repeated option, or what it is without any.
    func all(_ name: String, default fallback: [String]) -> [String] {
        options[name] ?? fallback
    }

    mutating func add(argument: String) {
        arguments.append(argument)
    }

    mutating func set(_ option: String, _ value: String) {
        options[option, default: []].append(value)
    }
}
