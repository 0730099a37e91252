/// Why a command did not do what was asked, in words that say how to mend it.
struct CommandFailure: Error, Sendable {
    /// One line without a full stop; a second one only says what to do.
    let message: String
    var code = ExitCode.failure

    /// The user's mistake.
    init(_ message: String) {
        self.message = message
    }

    /// A failure of another kind.
    init(_ message: String, code: ExitCode) {
        self.message = message
        self.code = code
    }
}
