import Glibc
import SecretFiles

/// An open file that lines are appended to.
final class LogFile: Sendable {
    /// Closed with this; `nil` for one that belongs to the process.
    private let file: FileDescriptor?
    private let descriptor: CInt

    /// The process's standard error, which stays open.
    static let standardError = LogFile(descriptor: 2)

    private init(descriptor: CInt) {
        file = nil
        self.descriptor = descriptor
    }

    /// Opens a file for its owner only, made when it is missing.
    ///
    /// - Throws: `FileError`.
    init(appendingTo path: String) throws(FileError) {
        do throws(SystemCode) {
            let file = try FileDescriptor(opening: path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, mode: 0o600)
            descriptor = file.rawValue
            self.file = consume file
        } catch {
            throw .failed(.write, path: path, code: error.rawValue)
        }
    }

    /// Whether someone looks at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Appends a line in one piece, as far as the system takes it: a log that is full stops nothing.
    func write(_ line: String) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}
