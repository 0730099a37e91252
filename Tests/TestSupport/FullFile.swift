internal import CTestMachine
import Glibc

/// A file that cannot grow, as on a full disk, until there is room. No user needs rights for it.
public final class FullFile: Sendable {
    /// Why there is no such file.
    public struct Failure: Error {}

    /// Open to read and write.
    public let descriptor: Int32
    /// Names the file for other processes too.
    public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    public init() throws {
        descriptor = full_disk_open(0)
        // As a file of ours has it.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Puts an empty file that can grow under the descriptor. Whoever has opened the path keeps the full one.
    public func makeRoom() throws {
        let roomy = full_disk_open(1)
        guard roomy >= 0, fchmod(roomy, 0o600) == 0, dup2(roomy, descriptor) >= 0 else { throw Failure() }
        close(roomy)
    }

    /// What is in it, up to 64 KiB.
    public var text: String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// A file that holds up whoever opens it, as a disk that hangs does, until this is let go; at most 45 s, the system's limit.
public final class HungFile: Sendable {
    private let descriptor: Int32

    /// - Parameter path: of a file of ours that nobody has open.
    public init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, hung_disk_hold(descriptor) == 0 else { throw FullFile.Failure() }
    }

    deinit { close(descriptor) }
}
