import Glibc

/// A pipe without room, which nobody reads.
public final class FullPipe: Sendable {
    /// Why there is no pipe.
    public struct Failure: Error {}

    private let reading: Int32
    private let writing: Int32

    /// Names the end to write to for other processes.
    public var path: String { "/proc/\(getpid())/fd/\(writing)" }

    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure() }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Whoever opens the path has flags of its own.
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        while write(writing, [0x2E], 1) == 1 {}
    }

    deinit {
        close(reading)
        close(writing)
    }
}
