import Glibc

/// Writing to descriptors that block: right for a command that does one thing and has nobody else to keep waiting.
package enum SystemOutput {
    /// Writes all bytes, and waits for as long as the reader takes.
    ///
    /// - Returns: the `errno` that ended it, `nil` when everything is written, and how much is.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> (error: Int32?, written: Int) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
                continue
            }
            let code = count == 0 ? ENOSPC : errno
            switch code {
            case EINTR: continue
            // Whoever shares the descriptor with us may have set it not to block.
            case EAGAIN: waitUntilWritable(descriptor)
            default: return (code, written)
            }
        }
        return (nil, written)
    }

    private static func waitUntilWritable(_ descriptor: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&polled, 1, -1)
    }
}
