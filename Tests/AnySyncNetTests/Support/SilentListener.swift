import Glibc

@testable import AnySyncNet

/// A bound socket that takes what dialers send and answers nothing.
struct SilentListener {
    private let socket: Int32
    let port: UInt16

    init(for kind: ConnectionKind) throws {
        let type = kind == .quic ? SOCK_DGRAM : SOCK_STREAM
        socket = Glibc.socket(AF_INET, Int32(type.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && (kind == .quic || listen(socket, 16) == 0)
                    && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw TestFailure("cannot bind: error \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() {
        Glibc.close(socket)
    }
}
