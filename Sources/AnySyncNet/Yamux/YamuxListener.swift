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
            socket.hold = { [endpoint] in endpoint.unproven.room(now: endpoint.eventLoop.now()) }
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
        guard endpoint.canAfford(descriptor: socket.descriptor) else {
            endpoint.count { $0.refused[.noDescriptor, default: 0] += 1 }
            return socket.close(.abort)
        }
        let id = nextHandshake
        nextHandshake += 1
        let local = endpoint.identity.credentials(version: endpoint.identity.version)
        let handshake: SocketHandshake
        let address = socket.remoteAddress.map(AddressGroup.init)
        let ticket = endpoint.unproven.enter(from: address, at: endpoint.eventLoop.now()) { [weak self] in
            self?.assumeIsolated { $0.shed(id) }
        }
        do throws(TransportError) {
            let secure = try SecureHandshake(
                listeningFor: kinds, as: local, context: endpoint.tls, now: endpoint.unixTime)
            handshake = SocketHandshake(secure, on: socket, timeout: endpoint.limits.handshakeTimeout) {
                [weak self] result in
                guard let self else { return }
                assumeIsolated { $0.finished(id, ticket, socket, result) }
            }
        } catch {
            endpoint.unproven.leave(ticket)
            endpoint.count { $0.refused[error.closeReason, default: 0] += 1 }
            return socket.close(.abort)
        }
        handshake.onHeard = { [unproven = endpoint.unproven] in unproven.spoke(ticket) }
        handshakes[id] = handshake
        endpoint.count { $0.unfinishedHandshakes += 1 }
        handshake.start()
    }

    /// Ends a handshake that has to make room for another.
    private func shed(_ id: UInt64) {
        handshakes[id]?.cancel(.closed(.handshakesShed, detail: "too many unfinished handshakes"))
    }

    private func finished(
        _ id: UInt64, _ ticket: Unproven.Ticket, _ socket: TCPSocket,
        _ result: Result<SecureHandshake.Outcome, TransportError>
    ) {
        endpoint.unproven.leave(ticket)
        handshakes[id] = nil
        endpoint.count { $0.unfinishedHandshakes -= 1 }
        switch result {
        case .failure(let error):
            endpoint.reportRefusal(error, isIncoming: true)
            endpoint.count { $0.refused[error.closeReason, default: 0] += 1 }
        case .success(let outcome):
            guard let connection = YamuxConnection.make(outcome, socket, isIncoming: true, endpoint) else {
                return endpoint.count { $0.refused[.tooManyConnections, default: 0] += 1 }
            }
            if !ready.put(connection) { connection.requestClose(.shutDown, detail: "the listener is closed") }
        }
    }
}
