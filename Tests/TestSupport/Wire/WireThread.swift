import Glibc
import Locks

/// A thread that serves sockets with `poll` until it is stopped; what a test puts between two ends of a connection.
final class WireThread: Sendable {
    /// Says which descriptors to watch, and looks at those that can be read.
    typealias Turn = @Sendable (_ readable: Set<Int32>) -> Set<Int32>

    private let thread: pthread_t
    private let wakeUp: Int32

    private final class Context {
        let turn: Turn
        let wakeUp: Int32
        /// How long a turn waits for a descriptor, in milliseconds.
        let patience: Int32

        init(turn: @escaping Turn, wakeUp: Int32, patience: Int32) {
            (self.turn, self.wakeUp, self.patience) = (turn, wakeUp, patience)
        }

        func run() {
            var watched = turn([])
            while true {
                var entries = ([wakeUp] + watched).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&entries, nfds_t(entries.count), patience) >= 0 || errno == EINTR else { break }
                guard entries[0].revents == 0 else { break }
                watched = turn(Set(entries.filter { $0.revents != 0 }.map(\.fd)))
            }
            close(wakeUp)
        }
    }

    init(patience: Int32 = -1, _ turn: @escaping Turn) throws {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw WireFailure("no pipe: error \(errno)") }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        wakeUp = pipes[1]
        let context = Unmanaged.passRetained(Context(turn: turn, wakeUp: pipes[0], patience: patience))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Context>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else { throw WireFailure("no thread: error \(status)") }
        self.thread = thread
    }

    /// Ends the thread; to be called once.
    func stop() {
        // A byte and not the end of the pipe, which a process that was started meanwhile may hold open.
        _ = write(wakeUp, [1], 1)
        pthread_join(thread, nil)
        close(wakeUp)
    }
}

/// A socket of the system's did not do as a test needs.
public struct WireFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// IPv4 sockets on loopback.
enum WireSocket {
    static func open(_ type: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw WireFailure("no socket: error \(errno)") }
        return descriptor
    }

    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return address
    }

    /// Calls `body` with an address as the system's calls take it.
    static func with<R>(_ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Binds to a free port and says which.
    static func bindToFreePort(_ descriptor: Int32) throws -> UInt16 {
        guard with(address(port: 0), { bind(descriptor, $0, $1) }) == 0 else {
            throw WireFailure("cannot bind: error \(errno)")
        }
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw WireFailure("no port: error \(errno)") }
        return UInt16(bigEndian: bound.sin_port)
    }

    /// What can be read now, at most 64 KiB; `nil` at the end or after an error.
    static func receive(_ descriptor: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all of the bytes, waiting for room.
    static func sendAll(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
