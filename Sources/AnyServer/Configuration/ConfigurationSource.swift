/// Where a value of the configuration comes from.
public enum ConfigurationSource: Hashable, Sendable {
    /// Nobody set it.
    case standard
    /// Nobody set it, and the network that it goes with is the production network, also because nobody set another.
    case pairedWithNetwork
    /// A file; line and column count from 1.
    case file(path: String, line: Int, column: Int)
    /// An environment variable.
    case environment(variable: String)
    /// A flag of the command line, with its dashes.
    case flag(String)
    /// An option of the program that the server is embedded in.
    case host(option: String)

    // A source of higher rank counts, not one of lower.
    var rank: Int {
        switch self {
        case .standard, .pairedWithNetwork: 0
        case .file: 1
        case .environment: 2
        case .flag, .host: 3
        }
    }
}

extension ConfigurationSource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .standard: "default"
        case .pairedWithNetwork: "default of the production network"
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .environment(let variable): variable
        case .flag(let flag): flag
        case .host(let option): "the host's \(option)"
        }
    }
}

/// A value of the configuration that remembers where it comes from.
public struct Sourced<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// Where it comes from.
    public var source: ConfigurationSource

    /// A value from a source.
    public init(_ value: Value, _ source: ConfigurationSource = .standard) {
        self.value = value
        self.source = source
    }
}

extension Sourced: Equatable where Value: Equatable {}
extension Sourced: Hashable where Value: Hashable {}
