internal import CUV

/// Who is told what happens on a ``TCPSocket``. All calls come on the loop.
protocol TCPSocketDelegate: AnyObject {
    /// Bytes arrived; never empty.
    func socket(_ socket: TCPSocket, received bytes: [UInt8])
    /// The peer closed its side, or the socket failed. Nothing comes after; the delegate closes the socket.
    func socket(_ socket: TCPSocket, ended end: TCPSocket.End)
    /// All that was queued has been given to the kernel.
    func socketDrained(_ socket: TCPSocket)
}

/// A connected TCP socket on an event loop.
///
/// Whoever holds it must ``close(_:)`` it. Unchecked because libuv's pointers are not Sendable: every member is used on
/// the loop's thread only, which the methods assert.
final class TCPSocket: LoopHandle, @unchecked Sendable {
    /// How a socket came to its end.
    enum End: Hashable, Sendable {
        /// The peer sends nothing more. A half-closed connection counts as closed (protocol.md §5).
        case endOfStream
        /// The kernel reported an error.
        case failed(code: Int32)
        /// The loop is shutting down.
        case loopStopped

        var text: String {
            switch self {
            case .endOfStream: "the peer closed the connection"
            case .failed(let code): UVError.message(code)
            case .loopStopped: "the event loop is shutting down"
            }
        }
    }

    /// How to close.
    enum Closing {
        /// What the kernel was given still goes out; what is queued here is dropped.
        case now
        /// With a reset, so that the kernel keeps nothing for the peer.
        case abort
    }

    let loop: EventLoop
    weak var delegate: (any TCPSocketDelegate)?
    /// Whom a listening socket serves.
    var listener: TCPListener?
    private let tcp: UnsafeMutablePointer<uv_tcp_t>
    private var isClosed = false
    private var isReading = false
    private(set) var queuedBytes = 0

    /// An unconnected socket; see ``connect(to:_:)`` and ``TCPListener``.
    init(on loop: EventLoop) throws(TCPError) {
        self.loop = loop
        tcp = .allocate(capacity: 1)
        let status = loop.isStopping ? UV_ECANCELED.rawValue : uv_tcp_init(loop.uv.loop, tcp)
        guard status == 0 else {
            tcp.deallocate()
            throw TCPError(operation: "making a socket", code: status)
        }
        // The handle holds the socket until libuv has closed it.
        tcp.pointee.data = Unmanaged.passRetained(self).toOpaque()
        loop.add(self)
    }

    /// Calls `body` with the stream, for listening and accepting.
    func withStream<R>(_ body: (UnsafeMutablePointer<uv_stream_t>) -> R) -> R {
        body(cuv_tcp_stream(tcp))
    }

    /// Binds to a local address.
    func bind(to address: SocketAddress) -> Int32 {
        address.withPointer { uv_tcp_bind(tcp, $0, 0) }
    }

    /// The address of this side.
    var localAddress: SocketAddress? {
        guard !isClosed else { return nil }
        return SocketAddress(filledBy: { uv_tcp_getsockname(tcp, $0, $1) })
    }

    /// The address of the other side.
    var remoteAddress: SocketAddress? {
        guard !isClosed else { return nil }
        return SocketAddress(filledBy: { uv_tcp_getpeername(tcp, $0, $1) })
    }

    /// Bytes that were written and that the other side has not acknowledged, queued ones included.
    var unacknowledgedBytes: Int {
        guard !isClosed else { return 0 }
        return Int(uv_stream_get_write_queue_size(cuv_tcp_stream(tcp))) + max(0, Int(cuv_unacknowledged(tcp)))
    }

    /// The system's number for the socket; -1 when it has none.
    var descriptor: Int32 {
        isClosed ? -1 : cuv_descriptor(tcp)
    }

    // MARK: Connecting

    /// Connects; `completion` gets 0 or libuv's error, once, also when the socket is closed meanwhile.
    func connect(to address: SocketAddress, _ completion: @escaping (Int32) -> Void) {
        loop.assertOnLoop()
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(Completion(completion)).toOpaque()
        let status = address.withPointer { address in
            uv_tcp_connect(request, tcp, address) { request, status in
                guard let request else { return }
                TCPSocket.finish(request, status)
            }
        }
        if status != 0 { Self.finish(request, status) }
    }

    private final class Completion {
        let run: (Int32) -> Void
        init(_ run: @escaping (Int32) -> Void) { self.run = run }
    }

    private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>, _ status: Int32) {
        let data = request.pointee.data
        request.deallocate()
        guard let data else { return }
        Unmanaged<Completion>.fromOpaque(data).takeRetainedValue().run(status)
    }

    /// Sends small writes at once: what belongs together is already written together.
    func disableDelay() {
        uv_tcp_nodelay(tcp, 1)
    }

    // MARK: Reading

    /// Reads until ``stopReading()``; bytes go to the delegate.
    func startReading() {
        loop.assertOnLoop()
        guard !isClosed, !isReading else { return }
        isReading = true
        uv_read_start(
            cuv_tcp_stream(tcp),
            { handle, _, buffer in
                guard let handle, let buffer else { return }
                TCPSocket.of(handle).loop.uv.lendReadBuffer(to: buffer)
            },
            { stream, count, buffer in
                guard let stream, count != 0 else { return }
                TCPSocket.of(cuv_stream_handle(stream)).received(count, buffer)
            }
        )
    }

    /// Leaves further bytes in the kernel, which makes the peer wait.
    func stopReading() {
        guard !isClosed, isReading else { return }
        isReading = false
        uv_read_stop(cuv_tcp_stream(tcp))
    }

    private func received(_ count: Int, _ buffer: UnsafePointer<uv_buf_t>?) {
        guard count > 0 else {
            stopReading()
            delegate?.socket(self, ended: count == Int(UV_EOF.rawValue) ? .endOfStream : .failed(code: Int32(count)))
            return
        }
        guard let base = buffer?.pointee.base else { return }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: base, count: count))
        delegate?.socket(self, received: bytes)
    }

    // MARK: Writing

    /// Sends bytes, or queues what the kernel does not take now; see ``queuedBytes``.
    func write(_ bytes: [UInt8]) {
        loop.assertOnLoop()
        guard !isClosed, !bytes.isEmpty else { return }
        var written = 0
        if queuedBytes == 0 {
            let status = bytes.withUnsafeBytes { bytes in
                var buffer = Self.buffer(bytes)
                return uv_try_write(cuv_tcp_stream(tcp), &buffer, 1)
            }
            if status >= 0 {
                written = Int(status)
            } else if status != UV_EAGAIN.rawValue {
                return fail(status)
            }
        }
        if written < bytes.count { queue(bytes[written...]) }
    }

    private func queue(_ bytes: ArraySlice<UInt8>) {
        let request = WriteRequest.make(copying: bytes)
        queuedBytes += bytes.count
        let status = request.start(on: cuv_tcp_stream(tcp)) { request, status in
            guard let request, let stream = request.pointee.handle else { return }
            let socket = TCPSocket.of(cuv_stream_handle(stream))
            socket.wrote(WriteRequest.finish(request), status)
        }
        guard status == 0 else {
            queuedBytes -= request.discard()
            return fail(status)
        }
    }

    private func wrote(_ count: Int, _ status: Int32) {
        queuedBytes -= count
        guard !isClosed else { return }
        guard status == 0 else { return fail(status) }
        if queuedBytes == 0 { delegate?.socketDrained(self) }
    }

    /// Tells the delegate of a failed write once the current call is over, since it may be the caller.
    private func fail(_ status: Int32) {
        stopReading()
        loop.execute { [self] in
            guard !isClosed else { return }
            delegate?.socket(self, ended: .failed(code: status))
        }
    }

    private static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
        // libuv only reads through this pointer; its type serves reads and writes alike.
        let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        return uv_buf_init(base, UInt32(clamping: bytes.count))
    }

    // MARK: Closing

    /// Closes the socket. The delegate hears nothing more. Does nothing on a closed socket.
    func close(_ closing: Closing = .now) {
        loop.assertOnLoop()
        guard !isClosed else { return }
        isClosed = true
        delegate = nil
        listener = nil
        let closed: uv_close_cb = { handle in
            guard let handle else { return }
            TCPSocket.closed(handle)
        }
        if closing == .abort, uv_tcp_close_reset(tcp, closed) == 0 { return }
        uv_close(cuv_tcp_handle(tcp), closed)
    }

    func loopIsStopping() {
        guard let delegate else { return close() }
        delegate.socket(self, ended: .loopStopped)
        close()
    }

    private static func closed(_ handle: UnsafeMutablePointer<uv_handle_t>) {
        let socket = of(handle)
        socket.loop.remove(socket)
        Unmanaged.passUnretained(socket).release()
        handle.withMemoryRebound(to: uv_tcp_t.self, capacity: 1) { $0.deallocate() }
    }

    static func of(_ handle: UnsafeMutablePointer<uv_handle_t>) -> TCPSocket {
        Unmanaged<TCPSocket>.fromOpaque(handle.pointee.data).takeUnretainedValue()
    }
}

/// Why a socket operation failed.
struct TCPError: Error, Hashable, Sendable {
    let operation: String
    let code: Int32

    var reason: String { UVError.message(code) }
}
