/// The operations on files that ``KeyCache`` is made of, one by one, so that a test can fail each of them.
///
/// Paths are absolute or relative to the working directory.
public protocol KeyFiles: Sendable {
    /// Makes a directory that only its owner can enter (mode 0700), unless it exists, and its missing parents.
    func makeDirectory(_ path: String) throws(FileFailure)

    /// The permission bits of a directory, with 0o1000 and above left out.
    ///
    /// - Throws: ``FileFailure`` also when `path` is no directory, or a symbolic link.
    func permissions(ofDirectory path: String) throws(FileFailure) -> UInt16

    /// The names in a directory, without `.` and `..`.
    func names(in directory: String) throws(FileFailure) -> [String]

    /// The content of a file.
    ///
    /// - Parameters:
    ///   - path: the file; a symbolic link is not followed.
    ///   - limit: the most bytes to read.
    /// - Returns: `nil` when there is no such file; one byte more than `limit` when it is longer.
    func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8]?

    /// Makes a file that only its owner can read (mode 0600), writes `content` and waits until it is on the disk.
    ///
    /// - Throws: ``FileFailure`` also when the file exists.
    func create(_ path: String, _ content: [UInt8]) throws(FileFailure)

    /// Gives a file another name in its directory, in one step.
    func rename(_ path: String, to newPath: String) throws(FileFailure)

    /// Waits until the names in a directory are on the disk.
    func synchronize(directory path: String) throws(FileFailure)

    /// Removes a file.
    func remove(_ path: String) throws(FileFailure)
}

/// An operation that the operating system refused.
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call.
    public let operation: String
    /// Its `errno`.
    public let code: Int32
    /// What the system says about ``code``.
    public let reason: String

    /// A failure of a system call.
    public init(operation: String, code: Int32, reason: String) {
        self.operation = operation
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(operation): \(reason) (\(code))" }
}
