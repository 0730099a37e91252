#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that processes lock for a moment, to take turns with another file that they replace.
package struct LockFile: Sendable {
    private let path: String

    /// A lock at `path`, which need not exist; the file stays when nobody holds the lock.
    package init(path: String) {
        self.path = path
    }

    /// Does something while no other process, and no other thread of this one, does so under the same lock.
    ///
    /// Waits for whoever has it, which must be short. A process that dies has none.
    package func whileLocked<Result>(_ body: () -> Result) throws(FileError) -> Result {
        do throws(SystemCode) {
            let file = try FileDescriptor(
                opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
            try file.lock()
            return body()
        } catch {
            throw .failed(.lock, path: path, code: error.rawValue)
        }
    }
}
