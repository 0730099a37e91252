/// Why a server could not be started.
enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no `host:port`.
    case invalidAddress(String)
    /// The host is not this machine's loopback interface; the API has no caller authentication.
    case notLoopback(String)
    /// The path of a Unix socket is not absolute, or longer than the system takes.
    case invalidSocketPath(String)
    /// Something else than a socket that nobody serves is at the socket's path.
    case socketPathTaken(String)
    /// A call of the system failed.
    case system(operation: String, error: Int32)
    /// libmicrohttpd gave no daemon for the socket.
    case daemonFailed
    /// A limit makes no sense.
    case invalidLimits(String)

    var description: String {
        switch self {
        case .invalidAddress(let text):
            "\"\(text)\" is no address: expected host:port, such as 127.0.0.1:7001, or unix:/path"
        case .notLoopback(let host):
            "the server listens on the loopback interface only: expected 127.0.0.1, ::1 or localhost, got \"\(host)\""
        case .invalidSocketPath(let path):
            "\"\(path)\" cannot be a socket's path: it must begin with / and have at most "
                + "\(ListenAddress.maximumPathByteCount) bytes"
        case .socketPathTaken(let path):
            "\(path) is in use: another server listens there, or it is no socket; choose another path or remove it"
        case .system(let operation, let error): "\(operation): \(SystemCall.message(error))"
        case .daemonFailed: "the HTTP daemon could not be started: it ran out of memory or descriptors"
        case .invalidLimits(let reason): "invalid limits: \(reason)"
        }
    }
}
