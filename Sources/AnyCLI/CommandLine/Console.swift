import Glibc

/// Where a command writes: data to standard output, everything for people who look after it to standard error.
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
        write(bytes, to: STDOUT_FILENO)
    }

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

    // Unbuffered, so that a reader sees each line when it happens. A reader that has gone is no error of ours.
    @discardableResult
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
