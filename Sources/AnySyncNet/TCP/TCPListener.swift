internal import CUV

/// A listening TCP socket on an event loop. Used on the loop's thread only; its holder must ``close()`` it.
final class TCPListener {
    private let socket: TCPSocket
    private let onConnection: (TCPSocket) -> Void

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: what to bind; port 0 takes a free one.
    ///   - ipv6Only: whether a wildcard IPv6 address leaves IPv4 alone.
    ///   - onConnection: takes each connected socket, and closes it in the end.
    init(
        on loop: EventLoop, address: SocketAddress, ipv6Only: Bool, onConnection: @escaping (TCPSocket) -> Void
    ) throws(TCPError) {
        socket = try TCPSocket(on: loop)
        self.onConnection = onConnection
        var status = socket.bind(to: address, ipv6Only: ipv6Only)
        guard status == 0 else {
            socket.close()
            throw TCPError(operation: "binding", code: status)
        }
        socket.listener = self
        status = socket.withStream { stream in
            uv_listen(stream, Self.backlog) { stream, status in
                guard let stream, status == 0 else { return }
                TCPListener.of(stream)?.accept()
            }
        }
        guard status == 0 else {
            socket.close()
            throw TCPError(operation: "listening", code: status)
        }
    }

    /// What the kernel may hold back for us; it caps the number at its own limit.
    private static let backlog: Int32 = 511

    /// What the socket is bound to.
    var address: SocketAddress? { socket.localAddress }

    func close() {
        socket.close()
    }

    private func accept() {
        // Out of descriptors or memory: libuv drops the connection, the next one is tried afresh.
        guard let accepted = try? TCPSocket(on: socket.loop) else { return }
        let status = socket.withStream { server in
            accepted.withStream { uv_accept(server, $0) }
        }
        guard status == 0 else { return accepted.close() }
        accepted.disableDelay()
        onConnection(accepted)
    }

    private static func of(_ stream: UnsafeMutablePointer<uv_stream_t>) -> TCPListener? {
        TCPSocket.of(cuv_stream_handle(stream)).listener
    }
}
