#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Folder {
    /// Refuses a folder in which another user could make, remove or replace files.
    ///
    /// The folder must be this user's or root's and writable by nobody else, sticky or not; so must each folder above it, but
    /// for shared ones with the sticky bit, such as /tmp, in which nobody can rename what is another's. For root, a folder of
    /// any other user is refused: that user could have root read and write what it likes.
    ///
    /// - Parameter path: a folder that is there. Links to it are followed, but not one of another user.
    /// - Throws: ``FileError``.
    package static func requireTrusted(_ path: String) throws(FileError) {
        var link = stat()
        if lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK, !Owner.isTrusted(link.st_uid) {
            throw .ofAnotherUser(path: path, owner: link.st_uid)
        }
        let folder = try real(path)
        let status = try status(folder)
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .failed(.list, path: path, code: ENOTDIR) }
        guard Owner.isTrusted(status.st_uid) else { throw .ofAnotherUser(path: folder, owner: status.st_uid) }
        guard status.st_mode & 0o022 == 0 else {
            throw .writableByOthers(path: folder, mode: UInt32(status.st_mode & 0o7777))
        }
        // Whoever owns the root of the file system can replace anything; in a namespace that is not always user 0.
        let system = try self.status("/").st_uid
        var above = folder
        while above != "/" {
            above = Paths.folder(of: above)
            let status = try self.status(above)
            guard Owner.isTrusted(status.st_uid) || status.st_uid == system else {
                throw .ofAnotherUser(path: above, owner: status.st_uid)
            }
            guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
                throw .writableByOthers(path: above, mode: UInt32(status.st_mode & 0o7777))
            }
        }
    }

    /// The path of a folder without links, from the root.
    package static func real(_ path: String) throws(FileError) -> String {
        guard let resolved = realpath(path, nil) else { throw .failed(.list, path: path, code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func status(_ path: String) throws(FileError) -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .failed(.list, path: path, code: errno) }
        return status
    }
}
