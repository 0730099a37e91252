internal import AnySyncWire
public import PushCrypto

/// Yamux over TCP, on the bare socket and inside TLS (protocol.md §5).
public actor TCPTransport: Transport {
    public nonisolated let kinds: Set<ConnectionKind> = [.yamux, .tlsYamux]
    private nonisolated let endpoint: Endpoint

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        endpoint.eventLoop.asUnownedSerialExecutor()
    }

    /// A transport for an endpoint's connections.
    public init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
    }

    /// Resolves the host, tries its addresses in order, and runs the handshakes on the first that connects.
    public func dial(
        _ address: Address, peer: PeerId, version: UInt32
    ) async throws(TransportError) -> any Connection {
        let kind = address.kind ?? .yamux
        guard kinds.contains(kind) else { throw .notSupported(kind) }
        endpoint.count { $0.dialed += 1 }
        let socket = try await connect(to: address)
        let handshake: SecureHandshake
        do throws(TransportError) {
            handshake = try SecureHandshake(
                dialing: peer, kind: kind, as: endpoint.identity.credentials(version: version),
                context: endpoint.tls, now: endpoint.unixTime)
        } catch {
            socket.close()
            throw error
        }
        let outcome = try await run(handshake, on: socket)
        guard let connection = YamuxConnection.make(outcome, socket, isIncoming: false, endpoint) else {
            throw .closed(.tooManyConnections, detail: "\(endpoint.limits.connections) connections are open")
        }
        return connection
    }

    /// Binds to an IP address, or to all that a name has. A `yamux` address serves both forms, `tls+yamux` only that one.
    public func listen(on address: Address) async throws(TransportError) -> any Listener {
        let kind = address.kind ?? .yamux
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
        let result = await withCheckedContinuation { continuation in
            Resolver.resolve(
                address.host, port: address.port, on: endpoint.eventLoop, timeout: endpoint.limits.connectTimeout
            ) {
                continuation.resume(returning: $0)
            }
        }
        switch result {
        case .success(let addresses): return addresses
        case .failure(.deadlineExceeded): throw .deadlineExceeded(.resolving)
        case .failure(.failed(let code)): throw .cannotResolve(host: address.host, reason: UVError.message(code))
        }
    }

    private func connect(to address: Address) async throws(TransportError) -> TCPSocket {
        var failure = TransportError.cannotConnect(address: address.description, reason: "no address")
        for target in try await resolve(address) {
            guard !Task.isCancelled else { throw .cancelled }
            do throws(TransportError) {
                return try await connect(to: target)
            } catch {
                failure = error
            }
        }
        throw failure
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
            throw Task.isCancelled ? .cancelled : .cannotConnect(address: target.description, reason: UVError.message(status))
        }
        socket.disableDelay()
        return socket
    }

    private func run(
        _ handshake: SecureHandshake, on socket: TCPSocket
    ) async throws(TransportError) -> SecureHandshake.Outcome {
        let running = Running()
        let result = await withTaskCancellationHandler {
            await begin(handshake, on: socket, running)
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
        _ handshake: SecureHandshake, on socket: TCPSocket, _ running: Running
    ) async -> Result<SecureHandshake.Outcome, TransportError> {
        await withCheckedContinuation { continuation in
            running.start(handshake, on: socket, timeout: endpoint.limits.handshakeTimeout, continuation)
        }
    }
}

/// A dialer's handshake under way. Unchecked because it is used on the loop's thread only.
private final class Running: @unchecked Sendable {
    private var handshake: SocketHandshake?

    func start(
        _ secure: SecureHandshake, on socket: TCPSocket, timeout: Duration,
        _ continuation: CheckedContinuation<Result<SecureHandshake.Outcome, TransportError>, Never>
    ) {
        let handshake = SocketHandshake(secure, on: socket, timeout: timeout) { [weak self] result in
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
