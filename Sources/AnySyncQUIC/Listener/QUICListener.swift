internal import AnySyncNet
internal import AnySyncWire

/// Listens for QUIC on one or more UDP sockets.
actor QUICListener: Listener {
    nonisolated let addresses: [Address]
    nonisolated let endpoint: Endpoint
    nonisolated let limits: QUICLimits
    /// What new sessions are made from.
    nonisolated let contexts: QUICContextKeeper
    /// Holds the secret of retry tokens, which must outlive a certificate.
    nonisolated let context: QUICContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { endpoint.eventLoop.asUnownedSerialExecutor() }

    private var sockets: [DatagramSocket] = []
    /// The links by every id that their peers may use.
    var links: [ConnectionId: QUICLink] = [:]
    var ids: [ObjectIdentifier: Set<ConnectionId>] = [:]
    var closed = ClosedSessions()
    var strangers: Strangers
    var handshakes: [UInt64: QUICHandshake] = [:]
    var nextHandshake: UInt64 = 0
    var ready = HandoffQueue<QUICConnection>()
    var isClosed = false

    /// - Parameter addresses: what the sockets are bound to.
    init(addresses: [Address], endpoint: Endpoint, limits: QUICLimits, contexts: QUICContextKeeper) {
        self.addresses = addresses
        self.endpoint = endpoint
        self.limits = limits
        self.contexts = contexts
        context = contexts.current
        strangers = Strangers(context, limits, now: endpoint.eventLoop.now())
    }

    /// Takes over bound sockets.
    func start(_ sockets: [DatagramSocket]) {
        self.sockets = sockets
        for socket in sockets { socket.delegate = self }
    }

    /// What was done with datagrams of no connection.
    var counters: QUICCounters { strangers.counters }

    func nextConnection() async -> (any Connection)? {
        if let connection = ready.takeNow() { return connection }
        let taker = ready.makeTaker()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { ready.wait(taker, $0) }
        } onCancel: {
            endpoint.eventLoop.execute { self.assumeIsolated { $0.ready.withdraw(taker) } }
        }
    }

    /// Takes no more connections. The sockets carry the established ones and stay until the last of them ends.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for handshake in handshakes.values { handshake.cancel(.closed(.shutDown, detail: "the listener is closed")) }
        handshakes = [:]
        // Nobody will take them.
        for connection in ready.finish() { connection.requestClose(.shutDown, detail: "the listener is closed") }
        closeSocketsIfUnused()
    }

    func closeSocketsIfUnused() {
        guard isClosed, links.isEmpty else { return }
        for socket in sockets { socket.close() }
        sockets = []
    }
}

// MARK: - The sockets

extension QUICListener: DatagramSocketDelegate {
    nonisolated func socket(
        _ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath
    ) {
        // Unsafe because pointers are not Sendable: the call stays on this thread and ends before the bytes do.
        nonisolated(unsafe) let lent = datagram
        assumeIsolated { $0.received(lent, path, socket) }
    }

    nonisolated func socketDrained(_ socket: DatagramSocket) {
        assumeIsolated { listener in
            // A link asked twice flushes once.
            for link in listener.links.values { link.setNeedsFlush() }
        }
    }

    // What a peer's network reports says nothing about the others.
    nonisolated func socket(_ socket: DatagramSocket, failed code: Int32) {}

    nonisolated func socketLoopIsStopping(_ socket: DatagramSocket) {
        assumeIsolated { listener in
            listener.close()
            for link in Array(listener.links.values) { link.drop(.loopStopped) }
        }
    }
}
