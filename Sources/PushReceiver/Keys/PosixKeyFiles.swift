#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files of the operating system.
public struct PosixKeyFiles: KeyFiles {
    private static let directoryMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600

    /// The file system of the process.
    public init() {}

    public func makeDirectory(_ path: String) throws(FileFailure) {
        guard mkdir(path, Self.directoryMode) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw .last("mkdir") }
            try makeDirectory(String(path[..<slash]))
            guard mkdir(path, Self.directoryMode) == 0 || errno == EEXIST else { throw .last("mkdir") }
        default: throw .last("mkdir")
        }
    }

    public func permissions(ofDirectory path: String) throws(FileFailure) -> UInt16 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .last("lstat") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure("lstat", ENOTDIR) }
        return UInt16(status.st_mode & 0o777)
    }

    public func names(in directory: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(directory) else { throw .last("opendir") }
        defer { closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { throw FileFailure("readdir", EINVAL) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            // In place: an entry is as long as its name, shorter than the declared type.
            let start = (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = String(cString: start)
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .last("readdir") }
        return names
    }

    public func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8]? {
        // Without waiting, should the path be a pipe.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .last("open")
        }
        defer { _ = close(file) }
        var content = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < content.count {
            let got = content.withUnsafeMutableBytes { buffer in
                retrying { pread(file, buffer.baseAddress.map { $0 + count }, buffer.count - count, off_t(count)) }
            }
            guard got >= 0 else { throw .last("read") }
            if got == 0 { break }
            count += got
        }
        // Shortened where it is: another array would leave the key behind in this one.
        content.removeLast(content.count - count)
        return content
    }

    public func create(_ path: String, _ content: [UInt8]) throws(FileFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, Self.fileMode)
        guard file >= 0 else { throw .last("open") }
        do throws(FileFailure) {
            try write(content, to: file)
            guard retrying({ Int(fsync(file)) }) == 0 else { throw .last("fsync") }
        } catch {
            _ = close(file)
            throw error
        }
        guard close(file) == 0 else { throw .last("close") }
    }

    public func rename(_ path: String, to newPath: String) throws(FileFailure) {
        #if canImport(Glibc)
            let result = Glibc.rename(path, newPath)
        #elseif canImport(Musl)
            let result = Musl.rename(path, newPath)
        #else
            let result = Darwin.rename(path, newPath)
        #endif
        guard result == 0 else { throw .last("rename") }
    }

    public func synchronize(directory path: String) throws(FileFailure) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .last("open") }
        defer { _ = close(directory) }
        guard retrying({ Int(fsync(directory)) }) == 0 else { throw .last("fsync") }
    }

    public func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 else { throw .last("unlink") }
    }

    private func write(_ content: [UInt8], to file: Int32) throws(FileFailure) {
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { buffer in
                retrying {
                    pwrite(file, buffer.baseAddress.map { $0 + written }, buffer.count - written, off_t(written))
                }
            }
            guard count > 0 else { throw count == 0 ? FileFailure("write", ENOSPC) : .last("write") }
            written += count
        }
    }

    // A signal interrupts without harm.
    private func retrying(_ call: () -> Int) -> Int {
        var result = call()
        while result < 0, errno == EINTR { result = call() }
        return result
    }
}

extension FileFailure {
    fileprivate init(_ operation: String, _ code: Int32) {
        self.init(operation: operation, code: code, reason: String(cString: strerror(code)))
    }

    /// What the last call left in `errno`.
    fileprivate static func last(_ operation: String) -> FileFailure {
        FileFailure(operation, errno)
    }
}
