#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system calls on names, each with its `errno` as an error.
enum SystemCalls {
    /// Gives the file at `path` a second name, unless that is taken.
    static func addName(_ newPath: String, to path: String) throws(SystemCode) {
        _ = try retrying { link(path, newPath) }
    }

    /// Gives the file at `path` the name `newPath`, in place of what has it.
    static func move(_ path: String, to newPath: String) throws(SystemCode) {
        _ = try retrying { rename(path, newPath) }
    }

    /// Takes a name away.
    static func removeName(_ path: String) throws(SystemCode) {
        _ = try retrying { unlink(path) }
    }

    /// Makes a folder for its owner only.
    static func makeFolder(_ path: String) throws(SystemCode) {
        _ = try retrying { mkdir(path, 0o700) }
    }

    /// The permission bits of a folder; what is none, and a link to one, is an error.
    static func folderMode(_ path: String) throws(SystemCode) -> UInt32 {
        let folder = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        return UInt32(try folder.status().st_mode & 0o7777)
    }

    /// Whether nothing has the name.
    static func isMissing(_ path: String) -> Bool {
        access(path, F_OK) != 0 && SystemCode.last == .notFound
    }

    /// Whether a regular file has the name, and not a link to one.
    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Waits until the names in a folder are on the disk.
    static func synchronizeFolder(_ path: String) throws(SystemCode) {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Calls `body` with each name in a folder, `.` and `..` too, until it returns false.
    static func forEachName(in path: String, _ body: (String) -> Bool) throws(SystemCode) {
        guard let folder = opendir(path) else { throw .last }
        defer { closedir(folder) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        errno = 0
        while let entry = readdir(folder) {
            // In place, for an entry is as long as its name and shorter than the declared type.
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            guard body(String(cString: name)) else { return }
            errno = 0
        }
        if errno != 0 { throw .last }
    }

    /// The user that this process acts as.
    static var userId: UInt32 { geteuid() }

    /// This process's id.
    static var processId: Int32 { getpid() }

    /// Whether no process has the id.
    static func isGone(processId: Int32) -> Bool {
        // Signal 0 only asks; a process of another user answers with EPERM and is there.
        kill(processId, 0) != 0 && SystemCode.last == .noProcess
    }
}
