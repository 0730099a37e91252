import Glibc
import LineOutput
import SecretFiles

/// The log of a server: a line for each record, on standard error or to whoever the host names, and in files. Nothing waits
/// for any of them.
final class ServerLog: Sendable {
    private let level: LogSettings.Level
    private let format: LogSettings.Format
    private let time: @Sendable () -> Int64
    private let output: @Sendable (String) -> Void
    private let standardError: LineWriter?
    private let files: [LineWriter]

    /// How long the last lines may take to leave when a server stops.
    static let grace = Duration.seconds(2)

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - settings: What is written, and how.
    ///   - time: The time now, in milliseconds since 1970.
    ///   - output: Takes each line, without its end; `nil` for standard error.
    /// - Throws: `FileError` when a file can not be opened.
    init(
        _ settings: LogSettings, time: @escaping @Sendable () -> Int64 = Timestamp.now,
        output: (@Sendable (String) -> Void)? = nil
    ) throws(FileError) {
        // Debug records are what only developers need.
        level = settings.isProduction.value ? max(settings.level.value, .info) : settings.level.value
        let time = time
        func notice(_ format: LogSettings.Format, _ state: String) -> LineWriter.Notice {
            { count in
                let lines = count == 1 ? "1 line was" : "\(count) lines were"
                return LogRecord(time: time(), level: .warn, message: "\(lines) dropped while \(state)", fields: [])
                    .line(format)
            }
        }
        // Whoever reads lines in a program wants no colors in them, and neither does a file.
        let format = settings.format.value
        let isColored = format == .colorized && output == nil && isatty(STDERR_FILENO) == 1
        let shown = format == .colorized && !isColored ? .plaintext : format
        self.format = shown
        self.time = time
        if let output {
            self.output = output
            standardError = nil
        } else {
            let writer = LineWriter(
                descriptor: STDERR_FILENO, notice: notice(shown, "standard error was not read"))
            self.output = { writer.write($0) }
            standardError = writer
        }
        var files: [LineWriter] = []
        let kept = Self.kept(format)
        for path in settings.outputPaths.value {
            files.append(try LineWriter(appendingTo: path, notice: notice(kept, "\(path) could not be written")))
        }
        self.files = files
    }

    /// Goes on with the files that have the names of the log's now, as after a rotation.
    func reopen() {
        for file in files {
            file.reopen { [weak self] error in self?.error("the log file cannot be opened again", ("error", "\(error)"))
            }
        }
    }

    /// Takes no more records, and returns when all are written or ``grace`` is over.
    func close() async {
        for writer in files + [standardError].compactMap({ $0 }) { await writer.close(within: Self.grace) }
    }

    /// What files are written in: colors are for terminals.
    private static func kept(_ format: LogSettings.Format) -> LogSettings.Format {
        format == .json ? .json : .plaintext
    }

    func debug(_ message: String, _ fields: (name: String, value: String)...) { write(.debug, message, fields) }
    func info(_ message: String, _ fields: (name: String, value: String)...) { write(.info, message, fields) }
    func warn(_ message: String, _ fields: (name: String, value: String)...) { write(.warn, message, fields) }
    func error(_ message: String, _ fields: (name: String, value: String)...) { write(.error, message, fields) }

    func error(_ message: String, _ fields: [(name: String, value: String)]) { write(.error, message, fields) }

    private func write(
        _ level: LogSettings.Level, _ message: @autoclosure () -> String, _ fields: [(name: String, value: String)]
    ) {
        guard level >= self.level else { return }
        let record = LogRecord(time: time(), level: level, message: message(), fields: fields)
        output(record.line(format))
        guard !files.isEmpty else { return }
        let line = record.line(Self.kept(format))
        for file in files { file.write(line) }
    }
}
