#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// Files in folders of ours, which nobody else may have put there or may change.
package enum OwnFile {
    /// Opens a file and looks at what was opened: a regular file of this user or of root, that nobody else can write and that
    /// has no second name. A symbolic link is refused, and opening never waits, as for a pipe.
    ///
    /// - Parameter isSecret: whether to refuse a file that others can read, too.
    /// - Throws: ``FileError``; what the system refuses is a failure of `step`.
    package static func open(
        _ path: String, _ flags: CInt, mode: mode_t = 0, isSecret: Bool = false, step: FileStep = .read
    ) throws(FileError) -> FileDescriptor {
        let file = try attempt(step, path) { () throws(SystemCode) in
            try FileDescriptor(opening: path, flags | O_NOFOLLOW | O_NONBLOCK, mode: mode)
        }
        let refusal = try attempt(step, path) { () throws(SystemCode) -> FileError? in
            try Self.refusal(of: path, isSecret: isSecret) { () throws(SystemCode) in try file.status() }
        }
        if let refusal { throw refusal }
        return file
    }

    private static func attempt<Result: ~Copyable>(
        _ step: FileStep, _ path: String, _ body: () throws(SystemCode) -> Result
    ) throws(FileError) -> Result {
        do throws(SystemCode) {
            return try body()
        } catch {
            // What open(2) says of a link that it must not follow.
            throw error.rawValue == ELOOP
                ? .notARegularFile(path: path) : .failed(step, path: path, code: error.rawValue)
        }
    }

    /// Refuses what another program would open by its path, such as a database: as ``open(_:_:mode:isSecret:step:)``, without
    /// opening it. What is not there is fine.
    package static func check(_ path: String) throws(FileError) {
        let refusal: FileError?
        do throws(SystemCode) {
            refusal = try Self.refusal(of: path, isSecret: false) { () throws(SystemCode) in
                var status = stat()
                guard lstat(path, &status) == 0 else { throw SystemCode.last }
                return status
            }
        } catch {
            if error == .notFound { return }
            throw .failed(.read, path: path, code: error.rawValue)
        }
        if let refusal { throw refusal }
    }

    /// Why a file is not relied on; `nil` when it is.
    ///
    /// - Parameters:
    ///   - isSecret: whether to refuse a file that others can read, too.
    ///   - mayBePipe: whether a pipe is as good as a regular file.
    ///   - look: tells what the system knows about the file. It is asked once more when the file has a second name, which a
    ///     write of this moment takes away.
    package static func refusal(
        of path: String, isSecret: Bool, mayBePipe: Bool = false, look: () throws(SystemCode) -> stat
    ) throws(SystemCode) -> FileError? {
        let status = try look()
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || mayBePipe && kind == S_IFIFO else { return .notARegularFile(path: path) }
        guard Owner.isTrusted(status.st_uid) else { return .ofAnotherUser(path: path, owner: status.st_uid) }
        let mode = UInt32(status.st_mode & 0o7777)
        if isSecret, mode & 0o077 != 0 { return .openToOthers(path: path, mode: mode) }
        guard mode & 0o022 == 0 else { return .writableByOthers(path: path, mode: mode) }
        // A write that was killed, or is just under way, has left the second name; one that has ended since the first look
        // has left none.
        if status.st_nlink <= 1 || TemporaryFiles.exist(of: path) { return nil }
        return try look().st_nlink <= 1 ? nil : .hasOtherNames(path: path)
    }
}

/// Whose files and folders this process relies on.
enum Owner {
    /// This user's own, and root's, who could change everything anyway.
    static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }
}
