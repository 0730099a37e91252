internal import AnySyncNet
internal import AnySyncWire
internal import PushCrypto

/// A connection over QUIC (protocol.md §5).
///
/// Pinned to its loop: the link calls in synchronously, everything that a turn of the loop produces leaves in as few
/// datagrams as it fits into at the turn's end.
actor QUICConnection: MultiplexedConnection {
    nonisolated let remotePeerId: PeerId
    nonisolated let remoteIdentity: PublicKey
    nonisolated let version: UInt32
    nonisolated let remoteClientVersion: String
    nonisolated let remoteAddress: String
    nonisolated let kind = ConnectionKind.quic
    nonisolated let isIncoming: Bool
    nonisolated let addressGroup: AddressGroup?
    nonisolated let holding: Holding?
    nonisolated let endpoint: Endpoint

    nonisolated var eventLoop: EventLoop { endpoint.eventLoop }
    nonisolated var lastUse: MonotonicTime { assumeIsolated { $0.lastActivity } }
    nonisolated var unownedExecutor: UnownedSerialExecutor { endpoint.eventLoop.asUnownedSerialExecutor() }

    let link: QUICLink
    var session: QUICSession { link.session }
    var streams: [Int64: Stream] = [:]
    /// How many of them this side opened.
    var outgoingStreams = 0
    var incoming = HandoffQueue<Stream>()
    var takesStreams: Bool
    /// Writers that wait for room.
    var waitingWriters: [Stream] = []
    /// Bytes that wait for the readers of all streams.
    var bufferedInput = 0
    var outputWatch: OutputWatch
    private var outputTimer: LoopTimer?
    var lastActivity: MonotonicTime
    let established: MonotonicTime
    var ending: (reason: CloseReason, detail: String)?
    var closeWaiters = HandoffQueue<CloseReason>()
    private var idleTimer: LoopTimer?

    private init(_ outcome: QUICHandshake.Outcome, link: QUICLink, isIncoming: Bool, endpoint: Endpoint) {
        remotePeerId = outcome.peer
        remoteIdentity = outcome.identity
        version = outcome.result.version
        remoteClientVersion = outcome.result.clientVersion
        remoteAddress = link.remoteAddress
        addressGroup = link.addressGroup
        holding = isIncoming ? endpoint.open(outcome.identity, addressGroup) : nil
        outputWatch = OutputWatch(interval: endpoint.limits.writeTimeout)
        self.link = link
        self.isIncoming = isIncoming
        self.endpoint = endpoint
        takesStreams = isIncoming
        let now = endpoint.eventLoop.now()
        lastActivity = now
        established = now
    }

    /// Makes a connection of a link whose handshakes are done, and serves it.
    ///
    /// - Parameter keepAlive: how often a dialer makes sure that the connection lives.
    /// - Returns: `nil`, with the link closed, when there are too many connections.
    static nonisolated func make(
        _ outcome: QUICHandshake.Outcome, _ link: QUICLink, isIncoming: Bool, _ endpoint: Endpoint, keepAlive: Duration
    ) -> QUICConnection? {
        let connection = QUICConnection(outcome, link: link, isIncoming: isIncoming, endpoint: endpoint)
        let isTaken = connection.assumeIsolated { connection in
            connection.start(early: outcome.early, keepAlive: keepAlive)
        }
        return isTaken ? connection : nil
    }

    private func start(early: [QUICEvent], keepAlive: Duration) -> Bool {
        guard endpoint.register(self) else {
            ending = (.tooManyConnections, "")
            holding?.close()
            link.close(code: CloseCode.orderly)
            return false
        }
        holding?.onEvicted = { [weak self] in self?.requestClose(.overShare, detail: Holding.evictedDetail) }
        link.delegate = self
        // One side's pings keep a connection for both.
        if !isIncoming { session.keepAlive(every: keepAlive) }
        for event in early { happened(event) }
        link.setNeedsFlush()
        armIdleTimer()
        return true
    }

    var status: ConnectionStatus {
        ConnectionStatus(
            openStreams: streams.count, bytesReceived: link.bytesReceived, bytesSent: link.bytesSent,
            queuedBytes: ending == nil ? session.heldCount : 0, age: established.duration(to: eventLoop.now()),
            closed: ending?.reason)
    }

    // MARK: Closing

    func end(_ reason: CloseReason, _ detail: String) {
        guard ending == nil else { return }
        ending = (reason, detail)
        idleTimer?.cancel()
        idleTimer = nil
        outputTimer?.cancel()
        outputTimer = nil
        link.close(code: CloseCode.orderly)
        let failure = TransportError.closed(reason, detail: detail)
        for stream in streams.values {
            stream.failure = stream.failure ?? failure
            stream.wake()
        }
        streams = [:]
        outgoingStreams = 0
        waitingWriters = []
        incoming.finish()
        holding?.close()
        let dropped = link.droppedDatagrams
        if dropped > 0 { endpoint.count { $0.droppedDatagrams += dropped } }
        // Whoever hears of the end finds it counted.
        endpoint.unregister(self, reason)
        closeWaiters.finish(with: reason)
    }

    /// Closes an incoming connection on which nothing is asked for too long; pings do not count.
    private func armIdleTimer() {
        guard isIncoming, ending == nil else { return }
        let deadline = lastActivity.advanced(by: endpoint.limits.idleTimeout)
        idleTimer = eventLoop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.idleTimerFired() }
        }
    }

    private func idleTimerFired() {
        guard lastActivity.advanced(by: endpoint.limits.idleTimeout) <= eventLoop.now() else { return armIdleTimer() }
        end(.idle, "nothing was asked for \(endpoint.limits.idleTimeout.inWords)")
    }
}

// MARK: - What is held

extension QUICConnection {
    /// Has what the connection itself holds count against its share: what waits for readers, what waits to be sent or
    /// acknowledged, and what the library keeps beyond what it keeps for every connection.
    func countBuffers() {
        guard ending == nil, let holding else { return }
        let library = max(0, session.memoryUsed - Self.libraryCost)
        let streams = max(0, streams.count - Holding.freeStreams) * Holding.streamCost
        guard holding.buffer(bufferedInput + session.heldCount + library + streams) else {
            return end(.overShare, Holding.refusedDetail)
        }
    }

    /// What the library takes for a connection that does nothing, and for the streams of an ordinary one.
    private static let libraryCost = 160 * 1024

    private func outputMoved() {
        countBuffers()
        guard ending == nil else { return }
        // Less is on its way on any path; when that is lost, silence ends the connection.
        outputWatch.update(
            isWaiting: session.heldCount > Self.onItsWay, taken: session.takenCount, now: eventLoop.now())
        armOutputTimer()
    }

    private static let onItsWay = 64 * 1024

    private func armOutputTimer() {
        guard outputTimer == nil, let deadline = outputWatch.deadline else { return }
        outputTimer = eventLoop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.outputTimerFired() }
        }
    }

    private func outputTimerFired() {
        outputTimer = nil
        guard ending == nil else { return }
        guard outputWatch.isStalled(taken: session.takenCount, now: eventLoop.now()) else { return armOutputTimer() }
        end(.outputOverflow, "the peer has taken nothing for \(endpoint.limits.writeTimeout.inWords)")
    }
}

// MARK: - The link

extension QUICConnection: QUICLinkDelegate {
    nonisolated func link(_ link: QUICLink, happened event: QUICEvent) {
        assumeIsolated { $0.happened(event) }
    }

    nonisolated func linkMoved(_ link: QUICLink) {
        assumeIsolated { connection in
            connection.outputMoved()
            connection.wakeWriters()
        }
    }

    nonisolated func link(_ link: QUICLink, ended ending: QUICEnding) {
        assumeIsolated { $0.end(ending.closeReason, ending.detail) }
    }
}
