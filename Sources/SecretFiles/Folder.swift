/// Folders that hold secret files.
package enum Folder {
    // Far above what belongs in one of our folders, far below what would hurt.
    private static let nameLimit = 100_000

    /// Makes `path` and the folders above it that are missing, each for its owner only (mode 0700).
    ///
    /// A folder that is there is left as it is.
    package static func create(_ path: String) throws(FileError) {
        var missing: [String] = []
        var next = path
        while SystemCalls.isMissing(next) {
            missing.append(next)
            let parent = Paths.folder(of: next)
            guard parent != next else { break }
            next = parent
        }
        do throws(SystemCode) {
            for folder in missing.reversed() {
                do throws(SystemCode) {
                    try SystemCalls.makeFolder(folder)
                } catch {
                    // Another process may have made it meanwhile.
                    guard error == .exists else { throw error }
                }
                try SystemCalls.synchronizeFolder(Paths.folder(of: folder))
            }
            // Whatever is there must be a folder.
            try SystemCalls.synchronizeFolder(path)
        } catch {
            throw .failed(.createFolder, path: path, code: error.rawValue)
        }
    }

    /// Refuses a folder that other users can enter, and what is no folder, such as a link to one.
    package static func requirePrivate(_ path: String) throws(FileError) {
        let mode: UInt32
        do throws(SystemCode) { mode = try SystemCalls.folderMode(path) } catch {
            throw .failed(.list, path: path, code: error.rawValue)
        }
        guard mode & 0o077 == 0 else { throw .folderOpenToOthers(path: path, mode: mode) }
    }

    /// The names in a folder in no order, without `.` and `..`; none when there is no such folder.
    package static func names(in path: String) throws(FileError) -> [String] {
        var names: [String] = []
        do throws(SystemCode) {
            try SystemCalls.forEachName(in: path) { name in
                if name != ".", name != ".." { names.append(name) }
                return names.count <= nameLimit
            }
        } catch {
            if error == .notFound { return [] }
            throw .failed(.list, path: path, code: error.rawValue)
        }
        guard names.count <= nameLimit else {
            throw .failed(.list, path: path, code: SystemCode.overflow.rawValue)
        }
        return names
    }
}
