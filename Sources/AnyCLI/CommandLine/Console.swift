import Glibc

/// Where a command writes: data to standard output, everything for people who look after it to standard error.
enum Console {
    /// Writes a line to standard output.
    static func out(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes an error line to standard error.
    static func error(_ message: String) {
        write("any: \(message)\n", to: STDERR_FILENO)
    }

    // Unbuffered, so that a reader sees each line when it happens. A reader that has gone is no error of ours.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return }
                continue
            }
            bytes = bytes.dropFirst(written)
        }
    }
}
