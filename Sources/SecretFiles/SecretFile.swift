#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that holds a secret: for its owner only (mode 0600), and on the disk either whole or as it was before.
///
/// A write goes to a temporary file beside the real one, is flushed, and then takes the real name in one step, so a process
/// that is killed or a machine that loses power in the middle leaves the file as it was. What such a process leaves of its
/// temporary file is removed by the next write.
public struct SecretFile: Sendable {
    /// What a test makes of a step: an `errno` to fail with, `nil` to go on.
    package typealias Fault = @Sendable (FileStep) -> CInt?

    private static let mode: mode_t = 0o600

    /// Where the file is.
    public let path: String

    private let fault: Fault?

    /// A file at `path`, which need not exist.
    public init(path: String) {
        self.path = path
        fault = nil
    }

    /// A file whose steps fail when `fault` says so.
    package init(path: String, fault: @escaping Fault) {
        self.path = path
        self.fault = fault
    }

    /// Reads the whole file. The caller zeroes what it gets.
    ///
    /// - Parameters:
    ///   - limit: the most that belongs there, in bytes.
    ///   - followsLinks: whether the path may be a symbolic link to the file: only where its owner has named it.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``FileError``; also when other users own the file or have access to it.
    public func read(limit: Int, followsLinks: Bool = false) throws(FileError) -> [UInt8]? {
        if let code = fault?(.read) { throw .failed(.read, path: path, code: code) }
        return try BoundedFile.read(path, limit: limit, isSecret: true, isOwn: !followsLinks)
    }

    /// Writes a file that must not exist yet, and leaves one that does as it is.
    ///
    /// Of several that create a file at the same time, one does. A file is either created, and never written again, or
    /// replaced: whoever creates it removes what others are about to put in its place.
    ///
    /// - Throws: ``FileError/alreadyExists(path:)``, or ``FileError/failed(_:path:code:)``.
    public func create(_ content: [UInt8]) throws(FileError) {
        try store(content) { (temporary) throws(FileError) in
            do throws(FileError) {
                // Fails when the name is taken, which a rename would not.
                try perform(.publish) { () throws(SystemCode) in try SystemCalls.addName(path, to: temporary) }
            } catch {
                switch error {
                case .failed(.publish, _, EEXIST): throw .alreadyExists(path: path)
                // Whoever was faster has removed this temporary file with the others.
                case .failed(.publish, _, ENOENT) where !SystemCalls.isMissing(path): throw .alreadyExists(path: path)
                default: throw error
                }
            }
            if fault?(.removeTemporary) == nil { TemporaryFiles.removeAll(of: path) }
        }
    }

    /// Writes the file, in place of what was there.
    ///
    /// - Throws: ``FileError/failed(_:path:code:)``.
    public func replace(with content: [UInt8]) throws(FileError) {
        try store(content) { (temporary) throws(FileError) in
            try perform(.publish) { () throws(SystemCode) in try SystemCalls.move(temporary, to: path) }
        }
    }

    /// Takes the file away.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``FileError/failed(_:path:code:)``.
    @discardableResult
    public func remove() throws(FileError) -> Bool {
        do throws(FileError) {
            try perform(.remove) { () throws(SystemCode) in try SystemCalls.removeName(path) }
        } catch {
            if case .failed(.remove, _, ENOENT) = error { return false }
            throw error
        }
        try synchronizeFolder()
        return true
    }

    private func store(_ content: [UInt8], publish: (String) throws(FileError) -> Void) throws(FileError) {
        TemporaryFiles.removeLeftovers(of: path)
        let temporary = TemporaryFiles.nextName(for: path)
        do throws(FileError) {
            try fill(temporary, with: content)
            try publish(temporary)
        } catch {
            discard(temporary)
            throw error
        }
        try synchronizeFolder()
    }

    private func fill(_ temporary: String, with content: [UInt8]) throws(FileError) {
        let file = try perform(.createTemporary) { () throws(SystemCode) in
            try FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: Self.mode)
        }
        try perform(.write) { () throws(SystemCode) in try file.write(content) }
        try perform(.synchronize) { () throws(SystemCode) in try file.synchronize() }
    }

    // Best effort: what stays, a later write removes.
    private func discard(_ temporary: String) {
        _ = try? perform(.removeTemporary) { () throws(SystemCode) in try SystemCalls.removeName(temporary) }
    }

    // Without this the new name could be gone after a power cut, though the content is safe.
    private func synchronizeFolder() throws(FileError) {
        try perform(.synchronizeFolder) { () throws(SystemCode) in
            try SystemCalls.synchronizeFolder(Paths.folder(of: path))
        }
    }

    private func perform<Result: ~Copyable>(
        _ step: FileStep, _ body: () throws(SystemCode) -> Result
    ) throws(FileError) -> Result {
        if let code = fault?(step) { throw .failed(step, path: path, code: code) }
        do throws(SystemCode) { return try body() } catch { throw .failed(step, path: path, code: error.rawValue) }
    }
}
