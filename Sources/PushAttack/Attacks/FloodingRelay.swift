import Dispatch
import Glibc
import Locks

/// A relay for datagrams that, once told, sends what its client last sent over and over.
final class FloodingRelay: Sendable {
    let port: UInt16
    private let front: Int32
    private let back: Int32
    private let state = SystemLock((last: [UInt8](), count: 0))

    /// - Parameter target: the node's port on loopback.
    init(to target: UInt16) throws {
        front = try Self.socket(connectedTo: nil)
        back = try Self.socket(connectedTo: target)
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = front
        _ = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(bound, $0, &length) }
        }
        port = UInt16(bigEndian: name.sin_port)
        DispatchQueue(label: "push-attack.relay").async { [front, back, state] in Self.carry(front, back, state) }
    }

    /// Begins to flood, on a thread of its own until the process ends.
    func flood() {
        DispatchQueue(label: "push-attack.flood").async { [back, state] in
            while true {
                let last = state.withLock { $0.last }
                guard !last.isEmpty else {
                    usleep(1000)
                    continue
                }
                var sent = 0
                for _ in 0..<64 where send(back, last, last.count, Int32(MSG_NOSIGNAL)) == last.count { sent += 1 }
                state.withLock { $0.count += sent }
            }
        }
    }

    /// The datagrams of the flood since the last look.
    func takeCount() -> Int {
        state.withLock { state in
            defer { state.count = 0 }
            return state.count
        }
    }

    private static func carry(_ front: Int32, _ back: Int32, _ state: SystemLock<(last: [UInt8], count: Int)>) {
        var client = sockaddr_in()
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            var polled = [
                pollfd(fd: front, events: Int16(POLLIN), revents: 0),
                pollfd(fd: back, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) >= 0 || errno == EINTR else { return }
            if polled[0].revents != 0 {
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &client) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(front, &buffer, buffer.count, 0, $0, &length)
                    }
                }
                guard count > 0 else { continue }
                _ = send(back, buffer, count, Int32(MSG_NOSIGNAL))
                // Only packets of an established connection have short headers.
                if buffer[0] & 0x80 == 0 { state.withLock { $0.last = Array(buffer[..<count]) } }
            }
            if polled[1].revents != 0 {
                let count = recv(back, &buffer, buffer.count, 0)
                guard count > 0 else { continue }
                _ = withUnsafePointer(to: &client) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(front, buffer, count, Int32(MSG_NOSIGNAL), $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
        }
    }

    private static func socket(connectedTo port: UInt16?) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        name.sin_port = (port ?? 0).bigEndian
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return port == nil ? bind(socket, name, length) : connect(socket, name, length)
            }
        }
        guard socket >= 0, status == 0 else { throw Failure("no socket for datagrams: error \(errno)") }
        return socket
    }
}
