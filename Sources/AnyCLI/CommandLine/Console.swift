import Glibc
import LineOutput
import Locks

/// Where a command writes: data to standard output, everything for people who look after it to standard error. Waits for
/// whoever reads, so commands that serve write through their ``Foreground``.
enum Console {
    /// Writes a line to standard output.
    ///
    /// - Returns: whether there is still a reader.
    @discardableResult
    static func out(_ line: String) -> Bool {
        out(Array((line + "\n").utf8))
    }

    /// Writes bytes to standard output.
    ///
    /// - Returns: whether there is still a reader.
    @discardableResult
    static func out(_ bytes: [UInt8]) -> Bool {
        guard let code = SystemOutput.write(bytes, to: STDOUT_FILENO).error else { return true }
        // A reader that has gone is no error of ours.
        if code != EPIPE { outputError.withLock { $0 = $0 ?? code } }
        return false
    }

    /// Why data that was asked for did not reach standard output: it is closed, say, or on a disk that is full.
    static var outputFailure: CommandFailure? {
        outputError.withLock { $0 }.map {
            CommandFailure("cannot write standard output: \(String(cString: strerror($0)))", code: .environment)
        }
    }

    private static let outputError = SystemLock<Int32?>(nil)

    /// Writes an error line to standard error.
    static func error(_ message: String) {
        write(Array("any: \(printable(message))\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a line to standard error that is no error.
    static func note(_ line: String) {
        write(Array((printable(line) + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes a question to standard error, for an answer on the same line.
    static func ask(_ question: String) {
        write(Array(question.utf8), to: STDERR_FILENO)
    }

    /// Whether a descriptor is a terminal that may be written to in color (https://no-color.org).
    static func hasColor(_ descriptor: Int32 = STDOUT_FILENO) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        return Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb"
    }

    /// Text without what a terminal would obey; a server's words may hold anything.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var clean = String.UnicodeScalarView()
        clean.append(contentsOf: text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 })
        return String(clean)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar.properties.generalCategory == .control
    }

    // Unbuffered, so that a reader sees each line when it happens.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        _ = SystemOutput.write(bytes, to: descriptor)
    }
}
