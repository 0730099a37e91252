import Glibc

/// Secrets that are typed, or come through a pipe, never as words of the command line.
enum SecretInput {
    // More than the longest phrase.
    private static let limit = 1024

    /// Runs `read` with a question on the terminal that standard input is, and without an echo of what is typed.
    static func ask<Value, Failure: Error>(
        _ question: String, _ read: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try read() }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        Console.ask(question)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            // The line feed was typed, and not shown.
            Console.note("")
        }
        return try read()
    }

    /// The first line of standard input; what follows it is for someone else.
    static func line() throws(CommandFailure) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(limit)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        while true {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure("cannot read standard input: \(String(cString: strerror(errno)))")
            }
            guard count > 0, byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
            guard bytes.count < limit else {
                throw CommandFailure("standard input: the line is longer than \(limit) bytes")
            }
            bytes.append(byte)
        }
    }
}
