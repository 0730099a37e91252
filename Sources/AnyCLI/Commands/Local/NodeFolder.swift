import SecretFiles

/// A node's directory, which one node works on at a time.
final class NodeFolder {
    /// Another node works on the directory.
    struct InUse: Error, CustomStringConvertible {
        let path: String

        var description: String {
            "another node is using the folder \(path); stop that node, or give this one a folder of its own with --data-dir"
        }
    }

    private static let lockName = "node.lock"

    let path: String
    private let lock: FileDescriptor

    /// Makes the directory when it is missing, and takes it before anything in it is looked at.
    ///
    /// - Throws: ``InUse``, or `FileError`.
    init(_ path: String) throws {
        try Folder.create(path)
        guard let lock = try FolderLock.take(Paths.join(path, Self.lockName)) else { throw InUse(path: path) }
        self.path = path
        self.lock = lock
    }
}
