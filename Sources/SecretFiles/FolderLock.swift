#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file whose lock says that a process works on the files beside it. The lock is the kernel's (`flock`) and goes with the
/// process, however that ends; the file stays and proves nothing.
package enum FolderLock {
    // A look at the lock holds it for microseconds, unless its process has to wait for a processor.
    private static let attempts = 1000

    /// Takes the lock; `nil` when another process has it.
    ///
    /// - Parameters:
    ///   - path: the file, made when it is missing.
    ///   - pause: what to do while someone only looks at it: let them go on.
    /// - Returns: what holds the lock until it is let go.
    /// - Throws: ``FileError``.
    package static func take(
        _ path: String, pause: () -> Void = { sched_yield() }
    ) throws(FileError) -> FileDescriptor? {
        let file = try OwnFile.open(path, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600, step: .lock)
        do throws(SystemCode) {
            for _ in 0..<attempts {
                if try file.tryLock() { return file }
                // Only someone who is looking shares the lock; whoever works on the files never does.
                guard try file.tryLock(isShared: true) else { return nil }
                // Without the lock, or another process that starts now would wait for this one.
                try file.unlock()
                pause()
            }
            return nil
        } catch {
            throw .failed(.lock, path: path, code: error.rawValue)
        }
    }
}
