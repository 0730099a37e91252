import Glibc
import Locks
import SecretFiles

/// Where the lines of one writer go. Its calls block, so only the writer's thread makes them.
final class LineDestination: Sendable {
    private struct Opened: ~Copyable {
        /// Closed with this; `nil` for a descriptor that belongs to the process.
        var file: FileDescriptor?
        var descriptor: Int32
        /// Whether the last line was cut: the next must not become a part of it.
        var isCut = false
    }

    /// Whether someone looks at it.
    let isTerminal: Bool
    private let path: String?
    // Held by the writer's thread while it writes; nobody else takes it.
    private let opened: SystemLock<Opened>

    init(descriptor: Int32) {
        path = nil
        isTerminal = isatty(descriptor) == 1
        opened = SystemLock(Opened(file: nil, descriptor: descriptor))
    }

    init(appendingTo path: String) throws(FileError) {
        self.path = path
        let file = try Self.open(path)
        let descriptor = file.rawValue
        isTerminal = isatty(descriptor) == 1
        opened = SystemLock(Opened(file: consume file, descriptor: descriptor))
    }

    /// Whether it has a name, under which there may be another file by now.
    var isFile: Bool { path != nil }

    /// Writes a line with its end.
    ///
    /// - Returns: whether it is written whole.
    func write(_ line: [UInt8]) -> Bool {
        opened.withLock { opened in
            let bytes = opened.isCut ? [UInt8(ascii: "\n")] + line : line
            let (error, written) = SystemOutput.write(bytes, to: opened.descriptor)
            guard error != nil else {
                opened.isCut = false
                return true
            }
            if written > 0 { opened.isCut = bytes[written - 1] != UInt8(ascii: "\n") }
            return false
        }
    }

    /// Goes on with what has the name now.
    ///
    /// - Throws: `FileError`; then everything stays as it is.
    func reopen() throws(FileError) {
        guard let path else { return }
        try opened.withLock { (opened) throws(FileError) in
            let file = try Self.open(path)
            let descriptor = file.rawValue
            opened = Opened(file: consume file, descriptor: descriptor)
        }
    }

    /// Goes on with what has the name now when that is another file than the one that is open, as after a rotation that told
    /// nobody. What cannot be opened leaves everything as it is.
    func reopenIfMoved() {
        guard let path else { return }
        let isSame = opened.withLock { opened in
            var (now, then) = (stat(), stat())
            guard fstat(opened.descriptor, &then) == 0, stat(path, &now) == 0 else { return false }
            return now.st_dev == then.st_dev && now.st_ino == then.st_ino
        }
        guard !isSame else { return }
        do throws(FileError) { try reopen() } catch {}
    }

    // Not blocking, for the case that it is a pipe that nobody reads; that is an error then. Nobody else may have put there
    // what is open, to read the lines or to add some; only devices, such as a terminal, are whose they are.
    private static func open(_ path: String) throws(FileError) -> FileDescriptor {
        let refusal: FileError?
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        do throws(SystemCode) {
            let file = try FileDescriptor(opening: path, flags, mode: 0o600)
            let kind = try file.status().st_mode & S_IFMT
            refusal =
                kind == S_IFCHR
                ? nil
                : try OwnFile.refusal(of: path, isSecret: false, mayBePipe: true) { () throws(SystemCode) in
                    try file.status()
                }
            if refusal == nil { return file }
        } catch {
            throw .failed(.write, path: path, code: error.rawValue)
        }
        throw refusal ?? .notARegularFile(path: path)
    }
}
