import Glibc
import SecretFiles

/// A file that lines are added to, whole or not at all as far as readers can tell.
///
/// One process writes it at a time. It may be renamed away while it is written, as log rotation does: the next lines go to
/// a new file of the old name. Only a regular file is written: a pipe or a device would decide when a line is done.
final class SpoolFile {
    private let path: String
    private var descriptor: Int32

    /// Opens the file, creating it with mode 0600. A last line that a crash cut short gets its end, so that the next line
    /// stands by itself.
    init(path: String) throws(SpoolError) {
        self.path = path
        descriptor = try Self.open(path)
    }

    deinit {
        close(descriptor)
    }

    /// Adds lines and returns once they would survive the loss of power.
    ///
    /// - Parameters:
    ///   - lines: each with its line feed.
    ///   - report: is told why fewer lines were written than given.
    /// - Returns: how many of the lines, from the first, are in the file.
    /// - Throws: ``SpoolError`` when it is not known whether any of them is.
    func append(_ lines: [[UInt8]], report: (SpoolError) -> Void) throws(SpoolError) -> Int {
        try reopenIfMoved()
        var count = 0
        do throws(SpoolError) {
            for line in lines {
                try write(line)
                count += 1
            }
        } catch {
            report(error)
        }
        guard fdatasync(descriptor) == 0 else { throw .cannotWrite(path: path, reason: Self.reason()) }
        return count
    }

    // One write for each line, so that a reader sees whole lines only, and a crash can cut no line but the last.
    private func write(_ line: [UInt8]) throws(SpoolError) {
        let end = lseek(descriptor, 0, SEEK_END)
        var written = Glibc.write(descriptor, line, line.count)
        while written < 0, errno == EINTR { written = Glibc.write(descriptor, line, line.count) }
        guard written != line.count else { return }
        // A part of a line is what a disk takes that is full then.
        let code = written < 0 ? errno : ENOSPC
        let reason = String(cString: strerror(code))
        // A part of a line must not become the beginning of the next.
        if written > 0, ftruncate(descriptor, end) != 0 { try Self.endLastLine(descriptor, path) }
        throw .cannotWrite(path: path, reason: reason, isDiskFull: Self.isDiskFull(code))
    }

    /// Whether a write failed with this code because there is no room for more.
    static func isDiskFull(_ code: Int32) -> Bool {
        // The disk's room, the user's quota, the file's limit.
        [ENOSPC, EDQUOT, EFBIG].contains(code)
    }

    /// Goes on with what has the file's name now.
    func reopenIfMoved() throws(SpoolError) {
        var ours = stat()
        var named = stat()
        guard fstat(descriptor, &ours) == 0 else { throw .cannotWrite(path: path, reason: Self.reason()) }
        if stat(path, &named) == 0, named.st_ino == ours.st_ino, named.st_dev == ours.st_dev { return }
        let opened = try Self.open(path)
        close(descriptor)
        descriptor = opened
    }

    private static func open(_ path: String) throws(SpoolError) -> Int32 {
        // A link is followed, for whoever keeps the spool on another disk; what it leads to is looked at. Not blocking, for the
        // case that it is no regular file.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            // What a folder or a socket gives.
            if errno == EISDIR || errno == ENXIO { throw .notARegularFile(path: path) }
            throw .cannotOpen(path: path, reason: reason())
        }
        do throws(SpoolError) {
            switch try refusal(of: path, descriptor) {
            case .notARegularFile: throw .notARegularFile(path: path)
            case let refusal?: throw .untrusted(refusal)
            case nil: break
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(path: path) }
            try endLastLine(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func refusal(of path: String, _ descriptor: Int32) throws(SpoolError) -> FileError? {
        do throws(SystemCode) {
            return try OwnFile.refusal(of: path, isSecret: false) { () throws(SystemCode) in
                var status = stat()
                guard fstat(descriptor, &status) == 0 else { throw SystemCode.last }
                return status
            }
        } catch {
            throw .cannotOpen(path: path, reason: error.reason)
        }
    }

    private static func endLastLine(_ descriptor: Int32, _ path: String) throws(SpoolError) {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end > 0 else { return }
        var last: UInt8 = 0
        let newline = UInt8(ascii: "\n")
        guard pread(descriptor, &last, 1, end - 1) == 1 else { throw .cannotOpen(path: path, reason: reason()) }
        guard last != newline else { return }
        guard Glibc.write(descriptor, [newline], 1) == 1 else { throw .cannotWrite(path: path, reason: reason()) }
    }

    private static func reason() -> String {
        String(cString: strerror(errno))
    }
}
