/// What a run of the tool ends with.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// The user's input was wrong, or what was asked did not hold.
    case failure = 1
    /// Something on this machine or on the server went wrong, or a stream was cut.
    case environment = 2
    /// The server could not be reached.
    case unreachable = 3
}
