import Glibc

/// Folders that hold secret files.
package enum Folder {
    // Far above what belongs in one of our folders, far below what would hurt.
    private static let nameLimit = 100_000

    /// Makes `path` and the folders above it that are missing, each for its owner only (mode 0700).
    ///
    /// A folder that is there is left as it is.
    ///
    /// - Throws: ``FileError/failed(_:path:code:)``.
    package static func create(_ path: String) throws(FileError) {
        var missing: [String] = []
        var next = path
        while access(next, F_OK) != 0, errno == ENOENT {
            missing.append(next)
            let parent = Paths.folder(of: next)
            guard parent != next else { break }
            next = parent
        }
        do throws(SystemCode) {
            for folder in missing.reversed() {
                do throws(SystemCode) {
                    _ = try retrying { mkdir(folder, 0o700) }
                } catch {
                    // Another process may have made it meanwhile.
                    guard error.rawValue == EEXIST else { throw error }
                }
                try FileDescriptor(opening: Paths.folder(of: folder), O_RDONLY | O_DIRECTORY).synchronize()
            }
            _ = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw .failed(.createDirectory, path: path, code: error.rawValue)
        }
    }

    /// The names in a folder in no order, without `.` and `..`; none when there is no such folder.
    ///
    /// - Throws: ``FileError/failed(_:path:code:)``.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw .failed(.list, path: path, code: errno)
        }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            // By its place in the entry: a copy of the whole array could read past the end of a short entry.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
            let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
            guard names.count <= nameLimit else { throw .failed(.list, path: path, code: EOVERFLOW) }
            errno = 0
        }
        guard errno == 0 else { throw .failed(.list, path: path, code: errno) }
        return names
    }
}
