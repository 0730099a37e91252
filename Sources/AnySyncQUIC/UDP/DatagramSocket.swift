internal import AnySyncNet
internal import CQUIC
internal import CUV
internal import Glibc

/// Who is told what happens on a ``DatagramSocket``. All calls come on the loop.
protocol DatagramSocketDelegate: AnyObject {
    /// A datagram arrived. Its bytes are only lent.
    func socket(_ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath)
    /// The system takes datagrams again after ``DatagramSocket/isBlocked``.
    func socketDrained(_ socket: DatagramSocket)
    /// The system reported an error, such as that nobody listens at the other end. The socket goes on.
    func socket(_ socket: DatagramSocket, failed code: Int32)
    /// The loop is shutting down; the socket is closed after this call.
    func socketLoopIsStopping(_ socket: DatagramSocket)
}

/// A UDP socket on an event loop, read in batches.
///
/// Whoever holds it must ``close()`` it. Unchecked because libuv's pointers are not Sendable: every member is used on
/// the loop's thread only, which the methods assert.
final class DatagramSocket: LoopHandle, @unchecked Sendable {
    let loop: EventLoop
    weak var delegate: (any DatagramSocketDelegate)?
    /// What the socket is bound to.
    let localAddress: SocketAddress
    /// Whether the system's buffer is full; ``DatagramSocketDelegate/socketDrained(_:)`` tells when it is not.
    private(set) var isBlocked = false
    private let bound: sockaddr_storage
    private let descriptor: Int32
    private let isConnected: Bool
    private let batch: DatagramBatch
    private let poll: UnsafeMutablePointer<uv_poll_t>
    private var isClosed = false

    /// Where a socket begins.
    enum Place {
        /// To be reached at this address; port 0 takes a free one.
        case bound(to: SocketAddress)
        /// To reach this address and nobody else.
        case connected(to: SocketAddress)
    }

    /// Opens a socket and begins to read.
    ///
    /// - Parameter batch: what is read into.
    init(on loop: EventLoop, _ place: Place, batch: DatagramBatch) throws(SocketError) {
        loop.assertOnLoop()
        guard !loop.isStopping else { throw SocketError(operation: "making a socket", code: -ECANCELED) }
        let descriptor: Int32
        switch place {
        case .bound(let address):
            isConnected = false
            descriptor = address.withPointer { cquic_udp_open($0, nil) }
        case .connected(let address):
            isConnected = true
            descriptor = address.withPointer { cquic_udp_open(nil, $0) }
        }
        guard descriptor >= 0 else { throw SocketError(operation: "opening a socket", code: descriptor) }
        var bound = sockaddr_storage()
        let status = cquic_udp_name(descriptor, &bound)
        let name = withUnsafePointer(to: bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress(copying: $0) }
        }
        guard status == 0, let name else {
            _ = cquic_udp_close(descriptor)
            throw SocketError(operation: "naming a socket", code: status)
        }
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let watched = uv_poll_init(loop.uv.loop, poll, descriptor)
        guard watched == 0 else {
            poll.deallocate()
            _ = cquic_udp_close(descriptor)
            throw SocketError(operation: "watching a socket", code: watched)
        }
        self.loop = loop
        self.descriptor = descriptor
        self.bound = bound
        self.batch = batch
        self.poll = poll
        localAddress = name
        // The handle holds the socket until libuv has closed it.
        poll.pointee.data = Unmanaged.passRetained(self).toOpaque()
        loop.add(self)
        watch()
    }

    // MARK: Sending

    /// Sends one datagram, or loses it: when the system is full, or refuses it for its size, what is above sends again.
    func send(_ datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
        loop.assertOnLoop()
        guard !isClosed else { return }
        let status = withUnsafePointer(to: path.raw) { path in
            cquic_udp_send(
                descriptor, datagram.baseAddress?.assumingMemoryBound(to: UInt8.self), datagram.count, path,
                isConnected ? 1 : 0)
        }
        switch -status {
        case EAGAIN, ENOBUFS:
            isBlocked = true
            watch()
        case ECONNREFUSED:
            // The answer to an earlier datagram; reported here because this call came first.
            report(status)
        default: break
        }
    }

    // MARK: Reading

    private func watch() {
        let events = UV_READABLE.rawValue | (isBlocked ? UV_WRITABLE.rawValue : 0)
        uv_poll_start(poll, Int32(events)) { handle, status, events in
            guard let handle else { return }
            let socket = DatagramSocket.of(cuv_poll_handle(handle))
            if status < 0 { return socket.stoppedByError() }
            if UInt32(events) & UV_WRITABLE.rawValue != 0 { socket.drained() }
            if UInt32(events) & UV_READABLE.rawValue != 0 { socket.read() }
        }
    }

    /// libuv stops watching a socket that has an error to report, and does not say which. Most are about one datagram
    /// that was sent, such as that nobody listened just then; the socket is of use afterwards.
    private func stoppedByError() {
        let status = cquic_udp_take_error(descriptor)
        watch()
        if status < 0 { report(status) }
    }

    private func drained() {
        guard isBlocked else { return }
        isBlocked = false
        watch()
        delegate?.socketDrained(self)
    }

    private func read() {
        // Not for ever, or a flood would keep timers and other sockets waiting.
        for _ in 0..<Self.batchesPerTurn where !isClosed {
            let count = batch.receive(from: descriptor)
            guard count > 0 else {
                if count < 0, count != -Int(EAGAIN) { report(Int32(count)) }
                return
            }
            for index in 0..<count where !isClosed {
                batch.withDatagram(index, bound: bound) { datagram, path in
                    delegate?.socket(self, received: datagram, on: path)
                }
            }
            guard count == DatagramBatch.capacity else { return }
        }
    }

    private static let batchesPerTurn = 8

    /// Tells the delegate of an error once the current call is over, since it may be the caller.
    private func report(_ status: Int32) {
        loop.execute { [weak self] in
            guard let self, !isClosed else { return }
            delegate?.socket(self, failed: status)
        }
    }

    // MARK: Closing

    /// Closes the socket. The delegate hears nothing more. Does nothing on a closed socket.
    func close() {
        loop.assertOnLoop()
        guard !isClosed else { return }
        isClosed = true
        delegate = nil
        uv_poll_stop(poll)
        uv_close(cuv_poll_handle(poll)) { handle in
            guard let handle else { return }
            let socket = DatagramSocket.of(handle)
            _ = cquic_udp_close(socket.descriptor)
            socket.loop.remove(socket)
            handle.withMemoryRebound(to: uv_poll_t.self, capacity: 1) { $0.deallocate() }
            Unmanaged.passUnretained(socket).release()
        }
    }

    func loopIsStopping() {
        delegate?.socketLoopIsStopping(self)
        close()
    }

    private static func of(_ handle: UnsafeMutablePointer<uv_handle_t>) -> DatagramSocket {
        Unmanaged<DatagramSocket>.fromOpaque(handle.pointee.data).takeUnretainedValue()
    }
}

/// Why a UDP socket could not be had.
struct SocketError: Error, Hashable, Sendable {
    let operation: String
    /// The system's error, negative.
    let code: Int32

    /// There is no memory.
    static let noMemory = -ENOMEM

    var reason: String { "\(operation): \(UVError.message(code))" }
}
