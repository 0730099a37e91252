internal import AnySyncWire
internal import PushCrypto

/// A connection over TCP: a socket, maybe TLS, and a yamux session (protocol.md §5).
///
/// Pinned to its loop: the socket calls in synchronously, everything that a turn of the loop produces leaves in one
/// write at the turn's end.
actor YamuxConnection: MultiplexedConnection {
    nonisolated let remotePeerId: PeerId
    nonisolated let remoteIdentity: PublicKey
    nonisolated let version: UInt32
    nonisolated let remoteClientVersion: String
    nonisolated let remoteAddress: String
    nonisolated let kind: ConnectionKind
    nonisolated let isIncoming: Bool
    nonisolated let addressGroup: AddressGroup?
    nonisolated let holding: Holding?
    nonisolated let endpoint: Endpoint

    nonisolated var eventLoop: EventLoop { endpoint.eventLoop }
    nonisolated var lastUse: MonotonicTime { assumeIsolated { $0.lastActivity } }
    nonisolated var unownedExecutor: UnownedSerialExecutor { endpoint.eventLoop.asUnownedSerialExecutor() }

    let socket: TCPSocket
    let channel: TLSChannel?
    var session: YamuxSession
    var streams: [UInt32: Stream] = [:]
    var incoming = HandoffQueue<Stream>()
    var takesStreams: Bool
    /// Writers that wait for the output to drain.
    var blockedWriters: [Stream] = []
    /// Bytes that wait for the readers of all streams.
    var bufferedInput = 0
    var peerHasGoneAway = false
    var isFlushPending = false
    var outputWatch: OutputWatch
    var timer: LoopTimer?
    var lastActivity: MonotonicTime
    let established: MonotonicTime
    var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var ending: (reason: CloseReason, detail: String)?
    var closeWaiters = HandoffQueue<CloseReason>()
    /// Used for each read, so that its memory is.
    var events: [YamuxEvent] = []

    /// A connection whose handshakes are done.
    init(
        _ outcome: SecureHandshake.Outcome, identity: PublicKey, socket: TCPSocket, isIncoming: Bool, endpoint: Endpoint
    ) {
        remotePeerId = outcome.peer
        remoteIdentity = identity
        version = outcome.result.version
        remoteClientVersion = outcome.result.clientVersion
        let remote = socket.remoteAddress
        remoteAddress = remote?.description ?? "?"
        addressGroup = remote.map(AddressGroup.init)
        holding = isIncoming ? endpoint.open(identity, addressGroup) : nil
        outputWatch = OutputWatch(interval: endpoint.limits.writeTimeout)
        kind = outcome.channel == nil ? .yamux : .tlsYamux
        self.isIncoming = isIncoming
        self.endpoint = endpoint
        self.socket = socket
        channel = outcome.channel
        let now = endpoint.eventLoop.now()
        let role: YamuxSession.Role = isIncoming ? .listener : .dialer
        session = YamuxSession(role: role, limits: endpoint.limits.yamux, now: now)
        takesStreams = isIncoming
        lastActivity = now
        established = now
    }

    /// Makes a connection of a socket whose handshakes are done, and serves it.
    ///
    /// - Returns: `nil`, with the socket closed, when there are too many connections.
    static nonisolated func make(
        _ outcome: SecureHandshake.Outcome, _ socket: TCPSocket, isIncoming: Bool, _ endpoint: Endpoint
    ) -> YamuxConnection? {
        // An endpoint has an account, so the handshake has asked for an identity and not succeeded without one.
        guard let identity = outcome.result.identity else {
            socket.close(.abort)
            return nil
        }
        let early = outcome.early
        let connection = YamuxConnection(
            outcome, identity: identity, socket: socket, isIncoming: isIncoming, endpoint: endpoint)
        return connection.assumeIsolated { $0.start(early: early) } ? connection : nil
    }

    /// Begins to serve the socket.
    ///
    /// - Parameter early: what arrived right behind the handshake.
    /// - Returns: `false` when the process has too many connections; the socket is closed then.
    func start(early: [UInt8]) -> Bool {
        guard endpoint.register(self) else {
            ending = (.tooManyConnections, "")
            holding?.close()
            socket.close(.abort)
            return false
        }
        holding?.onEvicted = { [weak self] in self?.requestClose(.overShare, detail: Holding.evictedDetail) }
        socket.delegate = self
        socket.startReading()
        if !early.isEmpty { receive(early[...]) }
        armTimer()
        return true
    }

    var status: ConnectionStatus {
        ConnectionStatus(
            openStreams: session.streamCount, bytesReceived: bytesReceived, bytesSent: bytesSent,
            queuedBytes: session.pendingOutput + socket.queuedBytes,
            age: established.duration(to: eventLoop.now()), closed: ending?.reason)
    }

    // MARK: Closing

    func end(_ reason: CloseReason, _ detail: String) {
        guard ending == nil else { return }
        ending = (reason, detail)
        timer?.cancel()
        timer = nil
        // What yamux still has to say, such as a go away, goes out if the kernel takes it.
        flush()
        socket.close()
        let failure = TransportError.closed(reason, detail: detail)
        for stream in streams.values {
            stream.failure = failure
            stream.wake()
        }
        streams = [:]
        blockedWriters = []
        incoming.finish()
        holding?.close()
        // Whoever hears of the end finds it counted.
        endpoint.unregister(self, reason)
        closeWaiters.finish(with: reason)
    }
}

// MARK: - The socket

extension YamuxConnection: TCPSocketDelegate {
    nonisolated func socket(_ socket: TCPSocket, received bytes: [UInt8]) {
        assumeIsolated { $0.receiveFromSocket(bytes) }
    }

    nonisolated func socket(_ socket: TCPSocket, ended end: TCPSocket.End) {
        assumeIsolated { connection in
            switch end {
            case .endOfStream: connection.end(.peerClosed, end.text)
            case .failed: connection.end(.socketError, end.text)
            case .loopStopped: connection.end(.shutDown, end.text)
            }
        }
    }

    nonisolated func socketDrained(_ socket: TCPSocket) {
        assumeIsolated { $0.flush() }
    }

    private func receiveFromSocket(_ bytes: [UInt8]) {
        bytesReceived += UInt64(bytes.count)
        guard let channel else { return receive(bytes[...]) }
        do throws(TransportError) {
            let plaintext = try channel.decrypt(bytes[...])
            receive(plaintext[...])
        } catch {
            end(error.closeReason, "\(error)")
        }
    }
}

// MARK: - Output

extension YamuxConnection: TurnEndObserver {
    /// Has what the session has to say sent at the end of this turn.
    func setNeedsFlush() {
        guard !isFlushPending else { return }
        isFlushPending = true
        eventLoop.atTurnEnd(self)
    }

    nonisolated func turnEnded() {
        assumeIsolated { connection in
            connection.isFlushPending = false
            connection.flush()
        }
    }

    /// Gives the socket what waits, unless it still has bytes of before: then the kernel is full, and what waits is
    /// held back here, where it is bounded.
    private func flush() {
        defer { outputMoved() }
        guard socket.queuedBytes == 0 else { return }
        var output = session.takeOutput()
        guard !output.isEmpty else { return }
        if let channel {
            do throws(TransportError) {
                output = try channel.encrypt(output)
            } catch {
                return end(error.closeReason, "\(error)")
            }
        }
        bytesSent += UInt64(output.count)
        socket.write(output)
        guard !blockedWriters.isEmpty else { return }
        let writers = blockedWriters
        blockedWriters = []
        for stream in writers { stream.wakeWriter() }
    }

    /// Looks at what waits now: whether it is more than the connection's share, and when the peer must have taken it.
    private func outputMoved() {
        guard ending == nil else { return }
        countBuffers()
        let isWaiting = socket.queuedBytes > 0
        guard isWaiting || outputWatch.deadline != nil else { return }
        outputWatch.update(isWaiting: isWaiting, taken: bytesTaken, now: eventLoop.now())
        armTimer()
    }

    /// Bytes that the peer has acknowledged.
    var bytesTaken: UInt64 { bytesSent - min(bytesSent, UInt64(socket.unacknowledgedBytes)) }

    /// Has what the connection itself holds count against its share.
    func countBuffers() {
        guard ending == nil, let holding else { return }
        let streams = max(0, session.streamCount - Holding.freeStreams) * Holding.streamCost
        guard holding.buffer(bufferedInput + session.pendingOutput + socket.queuedBytes + streams) else {
            return end(.overShare, Holding.refusedDetail)
        }
    }
}
