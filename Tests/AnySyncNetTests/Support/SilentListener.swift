import Glibc

@testable import AnySyncNet

/// A bound socket that takes what dialers send and answers nothing, or refuses them.
struct SilentListener {
    private let socket: Int32
    private let isClosed: Bool
    let port: UInt16

    /// - Parameter refuses: whether the kernel turns dialers away.
    init(for kind: ConnectionKind, refuses: Bool = false) throws {
        let type = kind == .quic ? SOCK_DGRAM : SOCK_STREAM
        socket = Glibc.socket(AF_INET, Int32(type.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && (kind == .quic || refuses || listen(socket, 16) == 0)
                    && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw TestFailure("cannot bind: error \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        isClosed = refuses && kind == .quic
        // A TCP port that is bound refuses and is nobody else's; a UDP port refuses only when it is free.
        if isClosed { Glibc.close(socket) }
    }

    func close() {
        // Not a descriptor that another test may have by now.
        guard !isClosed else { return }
        Glibc.close(socket)
    }
}
