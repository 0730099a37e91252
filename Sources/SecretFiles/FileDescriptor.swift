package import Glibc

/// An open file, closed when its owner goes.
package struct FileDescriptor: ~Copyable {
    package let rawValue: CInt

    /// Opens `path`; a descriptor is never inherited by a process that this one starts.
    ///
    /// - Throws: the `errno` as a ``SystemCode``.
    package init(opening path: String, _ flags: CInt, mode: mode_t = 0) throws(SystemCode) {
        rawValue = try retrying { Glibc.open(path, flags | O_CLOEXEC, mode) }
    }

    deinit {
        // Nothing is lost by a failing close: what must be on the disk has been synchronized before.
        close(rawValue)
    }

    /// The file's own description.
    package func status() throws(SystemCode) -> stat {
        var status = stat()
        _ = try retrying { fstat(rawValue, &status) }
        return status
    }

    /// Writes all of `bytes`.
    package borrowing func write(_ bytes: [UInt8]) throws(SystemCode) {
        var offset = 0
        while offset < bytes.count {
            let descriptor = rawValue
            let start = offset
            offset += try retrying {
                bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start) }
            }
        }
    }

    /// Reads to the end, but no more than `limit` bytes, into one buffer that never grows and so leaves no copy behind.
    ///
    /// - Returns: `nil` when there is more.
    package borrowing func readToEnd(limit: Int) throws(SystemCode) -> [UInt8]? {
        let size = Int(try status().st_size)
        guard size <= limit else { return nil }
        let descriptor = rawValue
        var failure: SystemCode?
        // One byte more than there should be, to see the end.
        let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
            do throws(SystemCode) {
                while filled < buffer.count {
                    let start = filled
                    let count = try retrying { read(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start) }
                    if count == 0 { return }
                    filled += count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes.count > size ? nil : bytes
    }

    /// Waits until the content is on the disk.
    package borrowing func synchronize() throws(SystemCode) {
        let descriptor = rawValue
        _ = try retrying { fsync(descriptor) }
    }
}

/// An `errno` as an error.
package struct SystemCode: Error, Hashable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }
}

/// Calls the system until it is not interrupted by a signal.
package func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemCode) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw SystemCode(rawValue: errno) }
    }
}
