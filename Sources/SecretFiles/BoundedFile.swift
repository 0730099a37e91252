#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reading files that may hold anything, without taking more than belongs there.
package enum BoundedFile {
    private static let othersMask: mode_t = 0o077

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - limit: the most that belongs there, in bytes.
    ///   - isSecret: whether to refuse a file that other users have access to.
    ///   - followsLinks: whether the path may be a symbolic link to the file.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``FileError``.
    package static func read(
        _ path: String, limit: Int, isSecret: Bool = false, followsLinks: Bool = true
    ) throws(FileError) -> [UInt8]? {
        let refusal: FileError?
        let content: [UInt8]?
        do throws(SystemCode) {
            // Not blocking, for the case that it is a pipe.
            let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
            refusal = Self.refusal(of: path, mode: try file.status().st_mode, isSecret: isSecret)
            content = refusal == nil ? try file.readToEnd(limit: limit) : nil
        } catch {
            if error == .notFound { return nil }
            throw .failed(.read, path: path, code: error.rawValue)
        }
        if let refusal { throw refusal }
        guard let content else { throw .tooLarge(path: path, limit: limit) }
        return content
    }

    /// Whether there is a regular file at `path`, or a link to one.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether there is something at `path` that is not an empty file.
    package static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && (status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG)
    }

    private static func refusal(of path: String, mode: mode_t, isSecret: Bool) -> FileError? {
        guard mode & S_IFMT == S_IFREG else { return .notARegularFile(path: path) }
        guard isSecret, mode & othersMask != 0 else { return nil }
        return .openToOthers(path: path, mode: UInt32(mode & 0o7777))
    }
}
