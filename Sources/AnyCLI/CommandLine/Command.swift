/// One command of the tool, or a group of them: what help, parsing and completions are made from.
struct Command: Sendable {
    /// What a command does with the values that it was given.
    typealias Action = @Sendable (Values) async throws -> ExitCode

    let name: String
    /// One line, without a full stop.
    let abstract: String
    /// More for the help page; paragraphs separated by blank lines.
    var discussion = ""
    var arguments: [Argument] = []
    var options: [Option] = []
    var subcommands: [Command] = []
    /// Whether it asks a running server, and so takes ``Command/Option/client`` besides its own options.
    var asksServer = false
    /// What it does; `nil` for a group.
    var run: Action?

    /// A value that stands by its position.
    struct Argument: Sendable {
        /// As in the usage line, in lower case.
        let name: String
        let help: String
        var isOptional = false
        var completion = Completion.none
    }

    /// A value or a switch with a name.
    struct Option: Sendable {
        /// Without the dashes.
        let name: String
        /// The placeholder of its value, `nil` for a switch.
        var value: String?
        let help: String
        var isRequired = false
        /// May be given several times.
        var isRepeated = false
        var completion = Completion.none
    }

    /// What a shell offers for a value.
    enum Completion: Sendable {
        case none
        case words([String])
        case files
        case directories
    }

    /// Every option that the command takes, those of a client last.
    var allOptions: [Option] {
        guard asksServer else { return options }
        return options + Option.client.filter { shared in !options.contains { $0.name == shared.name } }
    }

    /// Whether it is a group, which only has commands in it.
    var isGroup: Bool { run == nil }
}
