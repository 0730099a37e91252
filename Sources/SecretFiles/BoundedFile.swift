#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reading files that may hold anything, without taking more than belongs there.
package enum BoundedFile {
    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - limit: the most that belongs there, in bytes.
    ///   - isSecret: whether to refuse a file that other users have access to.
    ///   - isOwn: whether the file is in a folder of ours: no link, and nobody else's (``OwnFile``). Otherwise the path is
    ///     somebody's choice, and may be a link.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``FileError``.
    package static func read(
        _ path: String, limit: Int, isSecret: Bool = false, isOwn: Bool = false
    ) throws(FileError) -> [UInt8]? {
        let refusal: FileError?
        let content: [UInt8]?
        do throws(SystemCode) {
            // Not blocking, for the case that it is a pipe.
            let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | (isOwn ? O_NOFOLLOW : 0))
            refusal =
                isOwn || isSecret
                ? try OwnFile.refusal(of: path, isSecret: isSecret) { () throws(SystemCode) in try file.status() }
                : try file.status().st_mode & S_IFMT != S_IFREG ? .notARegularFile(path: path) : nil
            content = refusal == nil ? try file.readToEnd(limit: limit) : nil
        } catch {
            if error == .notFound { return nil }
            if isOwn, error.rawValue == ELOOP { throw .notARegularFile(path: path) }
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
}
