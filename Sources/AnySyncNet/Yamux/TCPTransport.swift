internal import AnySyncWire
public import PushCrypto

/// Yamux over TCP, on the bare socket and inside TLS (protocol.md §5).
public actor TCPTransport: Transport {
    public nonisolated let kinds: Set<ConnectionKind> = [.yamux, .tlsYamux]
    private nonisolated let endpoint: Endpoint
    private nonisolated let resolver: Resolver

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        endpoint.eventLoop.asUnownedSerialExecutor()
    }

    /// A transport for an endpoint's connections.
    public init(_ endpoint: Endpoint) {
        self.init(endpoint, resolver: .shared)
    }

    /// A transport with a resolver of the caller's.
    init(_ endpoint: Endpoint, resolver: Resolver) {
        self.endpoint = endpoint
        self.resolver = resolver
    }

    /// Resolves the host, races its IP addresses, and runs the handshakes on the first that connects. A bare address
    /// means ``ConnectionKind/yamux`` here; a ``Dialer`` tries every kind.
    public func dial(
        _ address: Address, peer: PeerId, turn: DialTurn
    ) async throws(TransportError) -> any Connection {
        let kind = address.kind ?? .yamux
        guard kinds.contains(kind) else { throw .notSupported(kind) }
        endpoint.count { $0.dialed += 1 }
        let socket = try await connect(to: address)
        let handshake: SecureHandshake
        do throws(TransportError) {
            handshake = try SecureHandshake(
                dialing: peer, kind: kind, as: endpoint.identity.credentials(version: endpoint.identity.version),
                context: endpoint.tls, now: endpoint.unixTime)
        } catch {
            socket.close()
            throw error
        }
        let outcome = try await run(handshake, on: socket, turn)
        guard !Task.isCancelled else {
            socket.close(.abort)
            throw .cancelled
        }
        guard let connection = YamuxConnection.make(outcome, socket, isIncoming: false, endpoint) else {
            throw .closed(.tooManyConnections, detail: "\(endpoint.limits.connections) connections are open")
        }
        return connection
    }

    /// Binds to an IP address, or to all that a name has. A `yamux` address serves both forms, `tls+yamux` only that
    /// one, and so does a bare address: what can be read on the path is only served where it is asked for by name.
    public func listen(on address: Address) async throws(TransportError) -> any Listener {
        let kind = address.kind ?? .tlsYamux
        guard kinds.contains(kind) else { throw .notSupported(kind) }
        let locals = try await resolve(address)
        var sockets: [TCPListener] = []
        var bound: [Address] = []
        for local in locals {
            do throws(TCPError) {
                // With a free port asked for, the first socket decides it for all.
                let port = bound.first?.port ?? local.port
                let socket = try TCPListener(on: endpoint.eventLoop, address: local.with(port: port))
                sockets.append(socket)
                bound.append(Address(kind: kind, host: local.host, port: socket.address?.port ?? port))
            } catch {
                for socket in sockets { socket.close() }
                throw .cannotListen(address: local.description, reason: error.reason)
            }
        }
        let listener = YamuxListener(
            addresses: bound, kinds: kind == .yamux ? kinds : [.tlsYamux], endpoint: endpoint)
        await listener.start(sockets)
        return listener
    }

    private func resolve(_ address: Address) async throws(TransportError) -> [SocketAddress] {
        try await resolver.addresses(
            of: address.host, port: address.port, on: endpoint.eventLoop, timeout: endpoint.limits.connectTimeout)
    }

    private func connect(to address: Address) async throws(TransportError) -> TCPSocket {
        let targets = try await resolve(address)
        let race = Race<TCPSocket>(
            attempt: { [self] (index) async throws(TransportError) in try await connect(to: targets[index]) },
            discard: { [loop = endpoint.eventLoop] socket in loop.execute { socket.close(.abort) } }
        )
        let entries = targets.map { _ in RaceSchedule.Entry() }
        let outcome = await race.run(
            RaceSchedule(entries, delay: endpoint.limits.attemptDelay), on: endpoint.eventLoop)
        if let winner = outcome.winner { return winner.prize }
        throw outcome.verdict ?? outcome.failures.max { $0.key < $1.key }?.value
            ?? .cannotConnect(address: address.description, reason: "no address")
    }

    private func connect(to target: SocketAddress) async throws(TransportError) -> TCPSocket {
        let socket: TCPSocket
        do throws(TCPError) {
            socket = try TCPSocket(on: endpoint.eventLoop)
        } catch {
            throw .cannotConnect(address: target.description, reason: error.reason)
        }
        var isLate = false
        let timer = endpoint.eventLoop.schedule(after: endpoint.limits.connectTimeout) {
            isLate = true
            socket.close(.abort)
        }
        defer { timer.cancel() }
        let status = await withTaskCancellationHandler {
            await begin(connecting: socket, to: target)
        } onCancel: {
            endpoint.eventLoop.execute { socket.close(.abort) }
        }
        guard status == 0 else {
            socket.close()
            if isLate { throw .deadlineExceeded(.connecting) }
            throw Task.isCancelled
                ? .cancelled : .cannotConnect(address: target.description, reason: UVError.message(status))
        }
        socket.disableDelay()
        return socket
    }

    private func run(
        _ handshake: SecureHandshake, on socket: TCPSocket, _ turn: DialTurn
    ) async throws(TransportError) -> SecureHandshake.Outcome {
        let running = Running()
        let result = await withTaskCancellationHandler {
            await begin(handshake, on: socket, turn, running)
        } onCancel: {
            endpoint.eventLoop.execute { running.cancel() }
        }
        return try result.get()
    }

    // Methods of the actor and not closures: a closure that does not use the actor itself runs outside it.
    private func begin(connecting socket: TCPSocket, to target: SocketAddress) async -> Int32 {
        await withCheckedContinuation { continuation in
            socket.connect(to: target) { continuation.resume(returning: $0) }
        }
    }

    private func begin(
        _ handshake: SecureHandshake, on socket: TCPSocket, _ turn: DialTurn, _ running: Running
    ) async -> Result<SecureHandshake.Outcome, TransportError> {
        await withCheckedContinuation { continuation in
            running.start(handshake, on: socket, turn, timeout: endpoint.limits.handshakeTimeout, continuation)
        }
    }
}

/// A dialer's handshake under way. Unchecked because it is used on the loop's thread only.
private final class Running: @unchecked Sendable {
    private var handshake: SocketHandshake?

    func start(
        _ secure: SecureHandshake, on socket: TCPSocket, _ turn: DialTurn, timeout: Duration,
        _ continuation: CheckedContinuation<Result<SecureHandshake.Outcome, TransportError>, Never>
    ) {
        let handshake = SocketHandshake(secure, on: socket, timeout: timeout, turn: turn) { [weak self] result in
            self?.handshake = nil
            continuation.resume(returning: result)
        }
        self.handshake = handshake
        handshake.start()
    }

    func cancel() {
        handshake?.cancel(.cancelled)
    }
}
