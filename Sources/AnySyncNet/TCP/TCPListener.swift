internal import AnySyncWire
internal import CUV

/// A listening TCP socket on an event loop; its holder must ``close()`` it.
///
/// Unchecked because what it calls is mutable: every member is used on the loop's thread only.
final class TCPListener: @unchecked Sendable {
    private let socket: TCPSocket
    /// Takes each connected socket, and closes it in the end.
    var onConnection: (TCPSocket) -> Void = { $0.close(.abort) }
    /// Until when the next connection is left to the kernel; `nil` to take it now.
    var hold: () -> MonotonicTime? = { nil }
    private var holding: LoopTimer?

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: what to bind; port 0 takes a free one.
    ///
    /// An IPv6 wildcard takes IPv4 too, unless the system says otherwise.
    init(on loop: EventLoop, address: SocketAddress) throws(TCPError) {
        socket = try TCPSocket(on: loop)
        var status = socket.bind(to: address)
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
        holding?.cancel()
        hold = { nil }
        socket.close()
    }

    private func accept() {
        // libuv takes no further connection before this one is taken: they wait in the kernel, in the order they came.
        if let time = hold() {
            holding = socket.loop.schedule(at: time) { [weak self] in self?.accept() }
            return
        }
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
