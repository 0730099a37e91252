internal import AnySyncWire
internal import PushCrypto

/// Listens on TCP for both forms of yamux: the dialer chooses by its TLS application protocol (protocol.md §5).
actor YamuxListener: Listener {
    nonisolated let addresses: [Address]
    nonisolated let endpoint: Endpoint
    nonisolated var unownedExecutor: UnownedSerialExecutor { endpoint.eventLoop.asUnownedSerialExecutor() }

    private let kinds: Set<ConnectionKind>
    private var sockets: [TCPListener] = []
    private var handshakes: [UInt64: SocketHandshake] = [:]
    private var nextHandshake: UInt64 = 0
    /// No unfinished handshake is older than this one.
    private var oldestHandshake: UInt64 = 0
    private var ready = HandoffQueue<YamuxConnection>()
    private var isClosed = false

    /// - Parameters:
    ///   - sockets: where to bind, with what binding makes.
    ///   - kinds: what a dialer may choose from.
    init(addresses: [Address], kinds: Set<ConnectionKind>, endpoint: Endpoint) {
        self.addresses = addresses
        self.kinds = kinds
        self.endpoint = endpoint
    }

    /// Takes over bound sockets.
    func start(_ sockets: [TCPListener]) {
        self.sockets = sockets
        for socket in sockets {
            socket.onConnection = { [weak self] accepted in
                guard let self else { return accepted.close(.abort) }
                assumeIsolated { $0.accepted(accepted) }
            }
        }
    }

    func nextConnection() async -> (any Connection)? {
        if let connection = ready.takeNow() { return connection }
        let taker = ready.makeTaker()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { ready.wait(taker, $0) }
        } onCancel: {
            endpoint.eventLoop.execute { self.assumeIsolated { $0.ready.withdraw(taker) } }
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for socket in sockets { socket.close() }
        sockets = []
        for handshake in handshakes.values { handshake.cancel(.closed(.shutDown, detail: "the listener is closed")) }
        handshakes = [:]
        // Nobody will take them.
        for connection in ready.finish() { connection.requestClose(.shutDown, detail: "the listener is closed") }
    }

    private func accepted(_ socket: TCPSocket) {
        endpoint.count { $0.accepted += 1 }
        shedHandshakes()
        let id = nextHandshake
        nextHandshake += 1
        let local = endpoint.identity.credentials(version: endpoint.identity.version)
        let handshake: SocketHandshake
        do throws(TransportError) {
            let secure = try SecureHandshake(
                listeningFor: kinds, as: local, context: endpoint.tls, now: endpoint.unixTime)
            handshake = SocketHandshake(secure, on: socket, timeout: endpoint.limits.handshakeTimeout) { [weak self] result in
                guard let self else { return }
                assumeIsolated { $0.finished(id, socket, result) }
            }
        } catch {
            endpoint.count { $0.refused[error.closeReason, default: 0] += 1 }
            return socket.close(.abort)
        }
        handshakes[id] = handshake
        endpoint.count { $0.unfinishedHandshakes += 1 }
        handshake.start()
    }

    /// Makes room for one more handshake. The oldest go first: those of a flood wait longest.
    private func shedHandshakes() {
        while handshakes.count >= endpoint.limits.unfinishedHandshakes, oldestHandshake < nextHandshake {
            handshakes[oldestHandshake]?.cancel(.closed(.handshakesShed, detail: "too many unfinished handshakes"))
            oldestHandshake += 1
        }
    }

    private func finished(_ id: UInt64, _ socket: TCPSocket, _ result: Result<SecureHandshake.Outcome, TransportError>) {
        handshakes[id] = nil
        endpoint.count { $0.unfinishedHandshakes -= 1 }
        switch result {
        case .failure(let error):
            endpoint.count { $0.refused[error.closeReason, default: 0] += 1 }
        case .success(let outcome):
            guard let connection = YamuxConnection.make(outcome, socket, isIncoming: true, endpoint) else {
                return endpoint.count { $0.refused[.tooManyConnections, default: 0] += 1 }
            }
            if !ready.put(connection) { connection.requestClose(.shutDown, detail: "the listener is closed") }
        }
    }
}
