import Glibc

/// Lines for people on standard error, and for the other process on standard output.
enum Progress {
    static func say(_ line: String) { write(line, to: STDERR_FILENO) }
    static func out(_ line: String) { write(line, to: STDOUT_FILENO) }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
