/// The values given on a command line, asked for by what declares them.
struct Values: Sendable {
    private(set) var arguments: [String] = []
    private var options: [String: [String]] = [:]
    private var positions: [String: Int] = [:]

    /// A value that stands by its position; empty only for an optional one that was left out.
    subscript(argument: Command.Argument) -> String {
        optional(argument) ?? ""
    }

    /// A value that stands by its position, `nil` when it was left out.
    func optional(_ argument: Command.Argument) -> String? {
        positions[argument.name].flatMap { $0 < arguments.count ? arguments[$0] : nil }
    }

    /// Whether a switch was given.
    func flag(_ option: Command.Option) -> Bool {
        options[option.name] != nil
    }

    /// The value of an option.
    func option(_ option: Command.Option) -> String? {
        options[option.name]?.last
    }

    /// All values of a repeated option.
    func all(_ option: Command.Option) -> [String] {
        options[option.name] ?? []
    }

    /// The names of the options that were given.
    var optionNames: [String] { options.keys.sorted() }

    mutating func add(argument: String) {
        arguments.append(argument)
    }

    mutating func set(_ option: Command.Option, _ value: String) {
        options[option.name, default: []].append(value)
    }

    /// Gives the values the names that a command has for them.
    mutating func name(by declared: [Command.Argument]) {
        for (position, argument) in declared.enumerated() { positions[argument.name] = position }
    }
}
