public import SecretFiles

/// Why notifications can not be spooled.
public enum SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file can not be opened or created.
    case cannotOpen(path: String, reason: String)
    /// There is a pipe, a device or a folder in the place of the file.
    case notARegularFile(path: String)
    /// Another user owns the file, or may change it.
    case untrusted(FileError)
    /// Another process writes the file.
    case inUse(path: String)
    /// The file can not be written.
    case cannotWrite(path: String, reason: String, isDiskFull: Bool = false)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open the spool \(path): \(reason); check that the folder exists and may be written"
        case .notARegularFile(let path):
            "the spool \(path) is not a regular file; move it away, and the node makes one"
        case .untrusted(let error): "the spool cannot be relied on: \(error)"
        case .inUse(let path):
            "the spool \(path) is in use by another process; stop it, or give this node a folder of its own"
        case .cannotWrite(let path, let reason, _):
            "cannot write the spool \(path): \(reason); what was not written is tried again"
        }
    }
}
