public import SecretFiles

/// Why a server does not start.
public enum AnyServerError: Error, Sendable {
    /// Another server works on the account's directory; it is named as far as it has said who it is.
    case alreadyRunning(directory: String, RunningServer)
    /// The data directory can not be used.
    case badDataDirectory(FileError)
    /// Something else is in the way; the text says what, and what to do.
    case boot(String)
}

extension AnyServerError: CustomStringConvertible {
    /// What is in the way and what to do. Names files, so it is for the one who starts the server.
    public var description: String {
        switch self {
        case .alreadyRunning(let directory, let server): "\(ServerLock.Failure.inUse(directory: directory, server))"
        case .badDataDirectory(let error): "the data directory can not be used: \(error)"
        case .boot(let reason): reason
        }
    }
}

extension AnyServerError {
    init(_ failure: ServerLock.Failure) {
        switch failure {
        case .inUse(let directory, let server): self = .alreadyRunning(directory: directory, server)
        case .file(let error): self = .badDataDirectory(error)
        }
    }
}
