#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// An open file, closed when its owner goes.
package struct FileDescriptor: ~Copyable {
    package let rawValue: CInt

    /// Opens `path`; no process that this one starts inherits the descriptor.
    package init(opening path: String, _ flags: CInt, mode: mode_t = 0) throws(SystemCode) {
        rawValue = try retrying { open(path, flags | O_CLOEXEC, mode) }
    }

    deinit {
        // A failing close loses nothing: what must be on the disk has been synchronized before.
        close(rawValue)
    }

    /// What the system knows about the file.
    package borrowing func status() throws(SystemCode) -> stat {
        var status = stat()
        _ = try retrying { fstat(rawValue, &status) }
        return status
    }

    /// Writes all of `bytes`.
    package borrowing func write(_ bytes: [UInt8]) throws(SystemCode) {
        var written = 0
        while written < bytes.count {
            let count = try retrying {
                bytes.withUnsafeBytes { buffer in
                    pwrite(rawValue, buffer.baseAddress.map { $0 + written }, buffer.count - written, off_t(written))
                }
            }
            guard count > 0 else { throw .noSpace }
            written += count
        }
    }

    /// Reads to the end into one buffer that never grows, so that no copy stays behind.
    ///
    /// - Returns: `nil` when there are more than `limit` bytes.
    package borrowing func readToEnd(limit: Int) throws(SystemCode) -> [UInt8]? {
        let size = Int(try status().st_size)
        guard size <= limit else { return nil }
        // One more than there should be, to see the end.
        var bytes = [UInt8](repeating: 0, count: size + 1)
        var count = 0
        while count < bytes.count {
            let got = try retrying {
                bytes.withUnsafeMutableBytes { buffer in
                    pread(rawValue, buffer.baseAddress.map { $0 + count }, buffer.count - count, off_t(count))
                }
            }
            if got == 0 { break }
            count += got
        }
        // Shortened in place. One that grew meanwhile is not whole.
        bytes.removeLast(bytes.count - count)
        return count > size ? nil : bytes
    }

    /// Waits until the content is on the disk.
    package borrowing func synchronize() throws(SystemCode) {
        _ = try retrying { fsync(rawValue) }
    }

    /// Takes the file's lock, which goes with the descriptor, if nobody else's descriptor has it.
    ///
    /// - Parameter isShared: whether others may have it too, as long as theirs is shared.
    /// - Returns: whether it is taken now. A lock of this descriptor that it would replace is gone in any case.
    package borrowing func tryLock(isShared: Bool = false) throws(SystemCode) -> Bool {
        do throws(SystemCode) {
            _ = try retrying { flock(rawValue, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }

    /// Takes the file's lock as soon as nobody else's descriptor has it.
    package borrowing func lock() throws(SystemCode) {
        _ = try retrying { flock(rawValue, LOCK_EX) }
    }

    /// Lets go of the file's lock.
    package borrowing func unlock() throws(SystemCode) {
        _ = try retrying { flock(rawValue, LOCK_UN) }
    }
}
