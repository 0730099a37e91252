import AnySyncNet
import Glibc

extension Attack {
    /// Strangers that connect and say nothing.
    static let silentDialers64 = silentDialers(limit: 64)
    static let silentDialers256 = silentDialers(limit: 256)

    private static func silentDialers(limit: Int) -> Attack {
        Attack(
            name: "silent-\(limit)",
            abstract: "\(2 * limit) TCP connections that say nothing, against a soft limit of \(limit) descriptors",
            kinds: [.tlsYamux], descriptors: .soft(limit)
        ) { site in
            var sockets: [Int32] = []
            site.begun()
            while !Task.isCancelled {
                // Who is sent away comes back.
                sockets = sockets.filter { socket in
                    var byte: UInt8 = 0
                    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
                    guard count == 0 || count < 0 && errno != EAGAIN else { return true }
                    close(socket)
                    site.tally.add("sent away")
                    return false
                }
                while sockets.count < 2 * limit, let socket = connect(to: site.node.address.port) {
                    sockets.append(socket)
                    site.tally.add("connections made")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func connect(to port: UInt16) -> Int32? {
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else { return nil }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        name.sin_port = port.bigEndian
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 || errno == EINPROGRESS else {
            close(socket)
            return nil
        }
        return socket
    }
}
