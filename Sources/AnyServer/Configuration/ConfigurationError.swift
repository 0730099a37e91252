public import SecretFiles

/// Why a server can not be started with the configuration that it was given.
public struct ConfigurationError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The file that was named is not there.
        case missingFile(path: String)
        /// The file can not be read.
        case unreadableFile(FileError)
        /// The file is not YAML of the kind that is read here; the text says why and what to do.
        case malformedFile(String)
        /// There is no such key; perhaps another was meant.
        case unknownKey(String, suggestion: String?)
        /// The key's value is of another type.
        case wrongType(key: String, expected: String, found: String)
        /// The key's value is of the right type and still can not be; the text says why and what to do.
        case invalidValue(key: String, problem: String)
        /// The key must not be set together with what the text names.
        case notApplicable(key: String, problem: String)
        /// The home directory, which the value starts in, is not known.
        case noHome(key: String)
    }

    /// Where it is wrong; `nil` when the reason names the place.
    public let source: ConfigurationSource?
    /// What is wrong.
    public let reason: Reason

    /// An error at a place.
    public init(_ reason: Reason, at source: ConfigurationSource? = nil) {
        self.source = source
        self.reason = reason
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// The place, what is wrong there, and what to do.
    public var description: String {
        source.map { "\($0): \(reason)" } ?? reason.description
    }
}

extension ConfigurationError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missingFile(let path): "there is no file \(path); correct the path or leave it out"
        case .unreadableFile(let error): error.description
        case .malformedFile(let problem): problem
        case .unknownKey(let key, let suggestion?): "unknown key \"\(key)\"; did you mean \"\(suggestion)\"?"
        case .unknownKey(let key, nil): "unknown key \"\(key)\"; remove it"
        case .wrongType(let key, let expected, let found): "\(key) must be \(expected), not \(found)"
        case .invalidValue(let key, let problem), .notApplicable(let key, let problem): "\(key): \(problem)"
        case .noHome(let key): "\(key) starts with ~, but HOME is not set; set it or give a whole path"
        }
    }
}
