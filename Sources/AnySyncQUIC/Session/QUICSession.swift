internal import AnySyncNet
internal import AnySyncWire
internal import CQUIC
internal import PushCrypto

/// One QUIC connection without I/O: datagrams and time go in, events and datagrams come out.
///
/// Belongs to the loop's thread. What the library reports while it works is collected and taken with
/// ``takeEvents()``, since nothing may be asked of the library meanwhile.
final class QUICSession {
    enum Role {
        /// Connects, and insists on this peer.
        case dialer(expecting: PeerId)
        case listener
    }

    /// The peer, once its certificate has been accepted.
    var peer: PeerId?
    /// Why the peer's certificate was refused.
    var refusal: TransportError?
    let role: Role
    let unixTime: () -> Int64
    private let memoryLimit: Int
    // Keeps the context alive as long as its connection.
    private let context: QUICContext
    var events: [QUICEvent] = []
    var queues: [Int64: SendQueue] = [:]
    /// Bytes that were handed over for sending, of all streams there were.
    var sentCount: UInt64 = 0
    /// Bytes of streams that have arrived in order.
    var receivedCount: UInt64 = 0
    private var hasWritten = false
    /// Streams with something to send, in turn.
    private var ready = FIFO<Int64>()
    var isReady: Set<Int64> = []
    /// Streams that have something to send and no room at the peer.
    var parked: Set<Int64> = []
    // Set by the end of `init`; optional because the library takes a reference to the session.
    var handle: OpaquePointer?

    private init(_ context: QUICContext, _ role: Role, memoryLimit: Int, unixTime: @escaping () -> Int64) {
        self.context = context
        self.role = role
        self.memoryLimit = memoryLimit
        self.unixTime = unixTime
    }

    deinit {
        free()
    }

    /// Gives the library's memory back. Only ``peer`` and ``refusal`` may be asked for afterwards.
    func free() {
        guard let handle else { return }
        self.handle = nil
        cquic_free(handle)
        // Only now, since the library refers to them.
        queues = [:]
    }

    /// A dialer's session.
    static func dialer(
        to peer: PeerId, on path: DatagramPath, _ context: QUICContext, _ settings: QUICSettings, now: MonotonicTime,
        unixTime: @escaping () -> Int64
    ) -> QUICSession? {
        let session = QUICSession(
            context, .dialer(expecting: peer), memoryLimit: settings.memoryLimit, unixTime: unixTime)
        var raw = settings.raw
        var callbacks = Self.callbacks
        session.handle = withUnsafePointer(to: path.raw) { path in
            cquic_client_new(context.raw, path, &raw, &callbacks, session.reference, now.nanoseconds)
        }
        return session.handle == nil ? nil : session
    }

    /// A listener's session.
    ///
    /// - Parameter first: the dialer's first packet.
    /// - Returns: the session, and the id that the dialer will use.
    static func listener(
        for first: FirstPacket, on path: DatagramPath, _ context: QUICContext, _ settings: QUICSettings,
        now: MonotonicTime, unixTime: @escaping () -> Int64
    ) -> (QUICSession, ConnectionId)? {
        let session = QUICSession(context, .listener, memoryLimit: settings.memoryLimit, unixTime: unixTime)
        var raw = settings.raw
        var callbacks = Self.callbacks
        var own = cquic_id()
        session.handle = withUnsafePointer(to: path.raw) { path in
            first.withRaw { initial, original in
                cquic_server_new(
                    context.raw, path, initial, original, &raw, &callbacks, session.reference, now.nanoseconds, &own)
            }
        }
        return session.handle == nil ? nil : (session, ConnectionId(own))
    }

    private var reference: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    // MARK: Datagrams and time

    /// Takes in a datagram.
    ///
    /// - Returns: how the session ended, if it did.
    func receive(_ datagram: UnsafeRawBufferPointer, on path: DatagramPath, now: MonotonicTime) -> QUICEnding? {
        let status = withUnsafePointer(to: path.raw) { path in
            cquic_read(
                handle, path, datagram.baseAddress?.assumingMemoryBound(to: UInt8.self), datagram.count,
                now.nanoseconds)
        }
        unpark()
        return ending(status)
    }

    /// Does what is due.
    ///
    /// - Returns: how the session ended, if it did.
    func expire(now: MonotonicTime) -> QUICEnding? {
        ending(cquic_expire(handle, now.nanoseconds))
    }

    /// When ``expire(now:)`` is next due.
    var deadline: MonotonicTime? {
        let deadline = cquic_next_deadline(handle)
        return deadline == CQUIC_NEVER ? nil : MonotonicTime(nanoseconds: deadline)
    }

    /// Takes what has happened.
    func takeEvents() -> [QUICEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    private func ending(_ status: cquic_status) -> QUICEnding? {
        switch status {
        case CQUIC_OK: memoryUsed > memoryLimit ? .memoryExceeded : nil
        case CQUIC_DRAINING: .closedByPeer(peerClose)
        case CQUIC_RETRY: .needsRetry
        case CQUIC_DROP: .dropped
        case CQUIC_IDLE: .idle
        case CQUIC_HANDSHAKE_TIMEOUT: .handshakeTimeout
        case CQUIC_OTHER_VERSIONS: .otherVersions
        default: .failed(code: cquic_failure_of(handle).code)
        }
    }

    private var peerClose: PeerClose {
        let close = cquic_peer_close_of(handle)
        let reason = UnsafeBufferPointer(start: close.reason, count: close.reason_count)
        return PeerClose(
            isApplication: close.is_application != 0, code: close.code,
            reason: PeerText.printable(Array(reason.prefix(Self.reasonBytes))),
            isStatelessReset: close.is_stateless_reset != 0)
    }

    private static let reasonBytes = 128

    // MARK: Sending

    /// What came of asking for a datagram.
    enum Output {
        /// So many bytes of the buffer.
        case datagram(Int)
        /// Nothing to send, or nothing may be sent now.
        case nothing
        case ended(QUICEnding)
    }

    /// Writes the next datagram: from the streams in turn, and whatever else is due.
    func nextDatagram(
        into buffer: UnsafeMutableBufferPointer<UInt8>, _ path: inout DatagramPath, now: MonotonicTime
    ) -> Output {
        while let id = ready.popFirst() {
            guard isReady.contains(id), let queue = queues[id], queue.hasOutput else {
                isReady.remove(id)
                continue
            }
            let written = queue.offer { chunks, count, isLast in
                path.withRaw { path in
                    cquic_write(
                        handle, path, buffer.baseAddress, buffer.count, id, chunks, count, isLast ? 1 : 0,
                        now.nanoseconds)
                }
            }
            if written.taken > 0 { hasWritten = true }
            switch written.result {
            case CQUIC_WROTE:
                requeue(id, queue)
                return .datagram(written.size)
            case CQUIC_MORE:
                requeue(id, queue)
            case CQUIC_BLOCKED:
                isReady.remove(id)
                parked.insert(id)
            case CQUIC_STREAM_OVER:
                isReady.remove(id)
                queue.stop()
                events.append(.writingStopped(id))
            case CQUIC_NOTHING:
                requeue(id, queue)
                return .nothing
            default:
                return .ended(.failed(code: cquic_failure_of(handle).code))
            }
        }
        let written = path.withRaw { path in
            cquic_write(
                handle, path, buffer.baseAddress, buffer.count, Int64(CQUIC_NO_STREAM), nil, 0, 0, now.nanoseconds)
        }
        switch written.result {
        case CQUIC_WROTE: return .datagram(written.size)
        case CQUIC_WRITE_FAILED: return .ended(.failed(code: cquic_failure_of(handle).code))
        default: return .nothing
        }
    }

    /// Whether the datagram written last has bytes of a stream; asked once.
    func takeHasWritten() -> Bool {
        defer { hasWritten = false }
        return hasWritten
    }

    /// To be called when a run of datagrams has been sent.
    func paced(now: MonotonicTime) {
        cquic_pace(handle, now.nanoseconds)
    }

    /// Writes the datagram that closes the session: with the failure that ended it, or else with an application's code.
    ///
    /// - Returns: its size; `nil` when there are no keys to write it with.
    func close(
        code: UInt64, into buffer: UnsafeMutableBufferPointer<UInt8>, _ path: inout DatagramPath, now: MonotonicTime
    ) -> Int? {
        let size = path.withRaw { path in
            cquic_write_close(handle, path, buffer.baseAddress, buffer.count, code, now.nanoseconds)
        }
        return size == 0 ? nil : size
    }

    private func requeue(_ id: Int64, _ queue: SendQueue) {
        if queue.hasOutput { ready.append(id) } else { isReady.remove(id) }
    }

    /// Has a stream take its turn.
    func setReady(_ id: Int64) {
        guard !parked.contains(id), isReady.insert(id).inserted else { return }
        ready.append(id)
    }

    /// The peer may have given room: lets every stream that waited for it try again.
    private func unpark() {
        guard !parked.isEmpty else { return }
        let waiting = parked
        parked = []
        for id in waiting { setReady(id) }
    }

    // MARK: Facts

    /// Whether the peer agreed to this network's application protocol; to be asked when the handshake is complete.
    var hasApplicationProtocol: Bool { cquic_has_protocol(handle) != 0 }
    /// Whether TLS is done.
    var isEstablished: Bool { cquic_is_established(handle) != 0 }
    /// Bytes that the library holds for the session.
    var memoryUsed: Int { cquic_memory_used(handle) }
    /// Three of these after a close, nothing is on its way any more.
    var probeTimeout: Duration { .nanoseconds(Int64(clamping: cquic_probe_timeout(handle))) }

    /// Pings the peer when nothing was sent for `interval`, or sooner if the peer is less patient.
    func keepAlive(every interval: Duration) {
        let patience = cquic_peer_idle_timeout(handle)
        let wanted = interval.wholeNanoseconds
        cquic_keep_alive(handle, patience == 0 ? wanted : min(wanted, max(1, patience / 2)))
    }

    /// Frees what only the handshake needs; at a listener, once its last messages are sent.
    func releaseTLS() {
        cquic_release_tls(handle)
    }

    /// Begins with fresh keys, which both sides otherwise do by themselves.
    ///
    /// - Returns: whether that may be done now.
    func updateKeys(now: MonotonicTime) -> Bool {
        cquic_update_keys(handle, now.nanoseconds) == 0
    }
}
