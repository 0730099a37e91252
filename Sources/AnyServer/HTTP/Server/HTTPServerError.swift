/// Why a server could not be started.
enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no `host:port`.
    case invalidAddress(String)
    /// The host is not this machine's loopback interface; the API has no caller authentication.
    case notLoopback(String)
    /// A call of the system failed.
    case system(operation: String, error: Int32)
    /// libmicrohttpd gave no daemon for the socket.
    case daemonFailed
    /// A limit makes no sense.
    case invalidLimits(String)

    var description: String {
        switch self {
        case .invalidAddress(let text): "\"\(text)\" is no address: expected host:port, such as 127.0.0.1:7001"
        case .notLoopback(let host):
            "the server listens on the loopback interface only: expected 127.0.0.1, ::1 or localhost, got \"\(host)\""
        case .system(let operation, let error): "\(operation): \(SystemCall.message(error))"
        case .daemonFailed: "the HTTP daemon could not be started: it ran out of memory or descriptors"
        case .invalidLimits(let reason): "invalid limits: \(reason)"
        }
    }
}
