internal import CTestMachine
import Glibc
import Locks

/// A terminal that a test can close, as whoever closes a window does.
public final class PseudoTerminal: Sendable {
    /// Why there is no terminal.
    public struct Failure: Error {}

    private let descriptor: SystemLock<Int32>
    /// What a process opens.
    public let path: String

    public init() throws {
        var name = [CChar](repeating: 0, count: 128)
        let opened = terminal_open(&name, name.count)
        guard opened >= 0 else { throw Failure() }
        descriptor = SystemLock(opened)
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { close() }

    /// Hangs up.
    public func close() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }
}
