import Locks
import SecretFiles

/// The log of a server: a line for each record, on standard error or to whoever the host names, and in files.
final class ServerLog: Sendable {
    private let level: LogSettings.Level
    private let format: LogSettings.Format
    private let time: @Sendable () -> Int64
    private let output: @Sendable (String) -> Void
    private let files: [LogFile]

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
        // Whoever reads lines in a program wants no colors in them, and neither does a file.
        let isColorless = output != nil || !LogFile.standardError.isTerminal
        format = settings.format.value == .colorized && isColorless ? .plaintext : settings.format.value
        self.time = time
        self.output = output ?? { LogFile.standardError.write($0) }
        var files: [LogFile] = []
        for path in settings.outputPaths.value { files.append(try LogFile(appendingTo: path)) }
        self.files = files
    }

    func debug(_ message: String, _ fields: (name: String, value: String)...) { write(.debug, message, fields) }
    func info(_ message: String, _ fields: (name: String, value: String)...) { write(.info, message, fields) }
    func warn(_ message: String, _ fields: (name: String, value: String)...) { write(.warn, message, fields) }
    func error(_ message: String, _ fields: (name: String, value: String)...) { write(.error, message, fields) }

    private func write(
        _ level: LogSettings.Level, _ message: @autoclosure () -> String, _ fields: [(name: String, value: String)]
    ) {
        guard level >= self.level else { return }
        let record = LogRecord(time: time(), level: level, message: message(), fields: fields)
        output(record.line(format))
        guard !files.isEmpty else { return }
        let line = record.line(format == .json ? .json : .plaintext)
        for file in files { file.write(line) }
    }
}
