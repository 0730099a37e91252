internal import AnySyncNet
internal import AnySyncWire

/// Who owns a ``QUICLink`` at the moment: first its handshake, then its connection.
protocol QUICLinkDelegate: AnyObject {
    /// Something happened in the session. May be called several times for one datagram.
    func link(_ link: QUICLink, happened event: QUICEvent)
    /// Datagrams came or went: writers may find room.
    func linkMoved(_ link: QUICLink)
    /// It is over; nothing comes after.
    func link(_ link: QUICLink, ended ending: QUICEnding)
}

/// Who hands a ``QUICLink`` its datagrams when several share a socket.
protocol QUICLinkRoute: AnyObject {
    /// The peer may use this id from now on, or no more.
    func link(_ link: QUICLink, uses id: ConnectionId, _ isUsed: Bool)
    /// It is over.
    ///
    /// - Parameters:
    ///   - farewell: the datagram that closed it, for a peer that has not got it.
    ///   - lifetime: how long such a peer may still send.
    func linkEnded(_ link: QUICLink, _ ending: QUICEnding, farewell: [UInt8]?, lifetime: Duration)
}

/// A ``QUICSession`` with its socket and its timer. All that a turn of the loop produces is sent at the turn's end.
///
/// Unchecked because it is mutable: it is used on the loop's thread only.
final class QUICLink: TurnEndObserver, @unchecked Sendable {
    let loop: EventLoop
    let session: QUICSession
    let remoteAddress: String
    /// Where the peer is, for limits.
    let addressGroup: AddressGroup?
    weak var delegate: (any QUICLinkDelegate)?
    /// Kept as long as the link lives: who routes its datagrams may have been let go by everybody else.
    var route: (any QUICLinkRoute)?
    private(set) var bytesReceived: UInt64 = 0
    private(set) var bytesSent: UInt64 = 0
    /// Whether anything of the peer has arrived.
    var hasHeard: Bool { bytesReceived > 0 }
    private let socket: DatagramSocket
    private let ownsSocket: Bool
    /// What the peer may send without a use; `nil` for a peer that we dialled.
    private var idleTraffic: TokenBucket?
    /// Datagrams of the peer's that were dropped because they were too many of no use.
    private(set) var droppedDatagrams: UInt64 = 0
    private var timer: LoopTimer?
    private var isFlushPending = false
    private var releasesTLS = false
    private(set) var isOver = false

    /// - Parameters:
    ///   - ownsSocket: whether the socket is this link's alone, and closed with it.
    ///   - idleTraffic: what the peer may send without a use; `nil` for anything.
    init(
        _ session: QUICSession, on socket: DatagramSocket, remote: SocketAddress?, ownsSocket: Bool,
        idleTraffic: TokenBucket? = nil
    ) {
        self.idleTraffic = idleTraffic
        self.session = session
        self.socket = socket
        remoteAddress = remote?.description ?? "?"
        addressGroup = remote.map(AddressGroup.init)
        self.ownsSocket = ownsSocket
        loop = socket.loop
        if ownsSocket { socket.delegate = self }
    }

    // MARK: In

    /// Takes in a datagram of the peer's.
    func receive(_ datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
        guard !isOver else { return }
        bytesReceived += UInt64(datagram.count)
        let now = loop.now()
        guard idleTraffic?.take(now: now) ?? true else {
            droppedDatagrams += 1
            return
        }
        let before = session.receivedCount
        let ending = session.receive(datagram, on: path, now: now)
        // What came in order is of use as a whole, though the datagrams before it waited for this one.
        let count = session.receivedCount - before
        if count > 0 { idleTraffic?.give(1 + Int(clamping: count) / DatagramSize.largest) }
        deliverEvents()
        if let ending { return end(ending) }
        setNeedsFlush()
    }

    private func deliverEvents() {
        for event in session.takeEvents() where !isOver {
            switch event {
            case .idAdded(let id): route?.link(self, uses: id, true)
            case .idRemoved(let id): route?.link(self, uses: id, false)
            default: delegate?.link(self, happened: event)
            }
        }
    }

    private func timerFired() {
        timer = nil
        guard !isOver else { return }
        let now = loop.now()
        // An earlier deadline may have been put off since.
        guard let deadline = session.deadline, deadline <= now else { return armTimer() }
        let ending = session.expire(now: now)
        deliverEvents()
        if let ending { return end(ending) }
        flush()
    }

    private func armTimer() {
        guard !isOver, let deadline = session.deadline else { return }
        if let timer, timer.deadline <= deadline { return }
        timer?.cancel()
        timer = loop.schedule(at: deadline) { [weak self] in self?.timerFired() }
    }

    // MARK: Out

    /// Has what the session has to say sent at the end of this turn.
    func setNeedsFlush() {
        guard !isFlushPending, !isOver else { return }
        isFlushPending = true
        loop.atTurnEnd(self)
    }

    func turnEnded() {
        isFlushPending = false
        flush()
    }

    /// Sends what may be sent now.
    func flush() {
        guard !isOver, !socket.isBlocked else { return }
        let now = loop.now()
        let ending = write(now)
        session.paced(now: now)
        deliverEvents()
        if let ending { return end(ending) }
        guard !isOver else { return }
        if releasesTLS {
            releasesTLS = false
            session.releaseTLS()
        }
        delegate?.linkMoved(self)
        armTimer()
    }

    private func write(_ now: MonotonicTime) -> QUICEnding? {
        withBuffer { buffer in
            var path = DatagramPath()
            for _ in 0..<Self.datagramsPerFlush {
                switch session.nextDatagram(into: buffer, &path, now: now) {
                case .nothing: return nil
                case .ended(let ending): return ending
                case .datagram(let size):
                    // It asks for an acknowledgement.
                    if session.takeHasWritten() { idleTraffic?.give(1) }
                    send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<size]), path)
                    if socket.isBlocked { return nil }
                }
            }
            // Others have their turn first.
            setNeedsFlush()
            return nil
        }
    }

    private func send(_ datagram: UnsafeRawBufferPointer, _ path: DatagramPath) {
        bytesSent += UInt64(datagram.count)
        socket.send(datagram, on: path)
    }

    private static let datagramsPerFlush = 64

    private func withBuffer<R>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> R) -> R {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest, body)
    }

    /// Frees what only the handshake needs, once its last messages are sent.
    func releaseTLS() {
        releasesTLS = true
        setNeedsFlush()
    }

    // MARK: The end

    /// Ends the session from this side: what waits is sent if it may be, then the close.
    func close(code: UInt64) {
        guard !isOver else { return }
        if !socket.isBlocked { _ = write(loop.now()) }
        end(.closedLocally, code: code)
    }

    /// Ends the session without a word to the peer.
    func drop(_ ending: QUICEnding) {
        end(ending)
    }

    private func end(_ ending: QUICEnding, code: UInt64 = CloseCode.orderly) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        timer = nil
        let lifetime = session.probeTimeout * 3
        let farewell = ending.isTold ? sayFarewell(code) : nil
        route?.linkEnded(self, ending, farewell: farewell, lifetime: lifetime)
        route = nil
        if ownsSocket { socket.close() }
        let delegate = delegate
        self.delegate = nil
        delegate?.link(self, ended: ending)
        session.free()
    }

    private func sayFarewell(_ code: UInt64) -> [UInt8]? {
        withBuffer { buffer in
            var path = DatagramPath()
            guard let size = session.close(code: code, into: buffer, &path, now: loop.now()) else { return nil }
            let datagram = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<size])
            send(datagram, path)
            return Array(datagram)
        }
    }
}

// MARK: - A socket of its own

extension QUICLink: DatagramSocketDelegate {
    func socket(_ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
        receive(datagram, on: path)
    }

    func socketDrained(_ socket: DatagramSocket) {
        flush()
    }

    func socket(_ socket: DatagramSocket, failed code: Int32) {
        // Anybody can send such an error once there is something to guess it from; before that, it is the quick way to
        // learn that nobody listens.
        guard !hasHeard else { return }
        end(.unreachable(code: code))
    }

    func socketLoopIsStopping(_ socket: DatagramSocket) {
        close(.loopStopped)
    }

    private func close(_ ending: QUICEnding) {
        end(ending)
    }
}

/// Sizes of datagrams.
enum DatagramSize {
    /// The largest that is sent; also what answers to strangers are written into.
    static let largest = 1452
}

extension QUICEnding {
    /// Whether the peer is told that it is over.
    fileprivate var isTold: Bool {
        switch self {
        case .failed, .closedLocally, .loopStopped, .memoryExceeded, .handshakeTimeout: true
        case .closedByPeer, .needsRetry, .dropped, .idle, .otherVersions, .unreachable: false
        }
    }
}
