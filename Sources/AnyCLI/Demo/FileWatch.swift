import Glibc

/// Tells when files are written, so that waiting for what another process does asks nothing again and again.
final class FileWatch {
    private let descriptor: Int32

    /// Watches a file, or the files of a directory.
    init(_ path: String) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MODIFY | IN_CREATE)) >= 0 else {
            throw ChildProcess.Failure(description: "cannot watch \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Asks `result` at once and after every write, until it gives something or the time is over.
    func first<T>(within seconds: Double, _ result: () throws -> T?) rethrows -> T? {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(seconds))
        while true {
            if let value = try result() { return value }
            let left = clock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return nil }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Int32(left.rounded(.up))) > 0 else { continue }
            var events = [UInt8](repeating: 0, count: 4096)
            _ = read(descriptor, &events, events.count)
        }
    }
}
