public import AnySyncNet
internal import AnySyncWire
public import PushCrypto

/// QUIC version 1 with ngtcp2 and GnuTLS (protocol.md §5), on the endpoint's event loop.
///
/// Dialling is safe to offer everywhere: whoever is dialled has been chosen. Listening is for hosts that ask for it:
/// the library of the system (ngtcp2 0.12) predates its authors' first stable release, lacks later limits on peculiar
/// frames, and is built so that a violated assertion of its own ends the process. Let a public node listen on QUIC only
/// beside `tls+yamux`, and where a restart is tolerable.
public actor QUICTransport: Transport {
    public nonisolated let kinds: Set<ConnectionKind> = [.quic]
    private nonisolated let endpoint: Endpoint
    private nonisolated let limits: QUICLimits
    private nonisolated let context: QUICContext
    private var batch: DatagramBatch?
    private var listeners: [WeakListener] = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        endpoint.eventLoop.asUnownedSerialExecutor()
    }

    private struct WeakListener {
        weak var listener: QUICListener?
    }

    /// A transport for an endpoint's connections.
    ///
    /// - Throws: `TLSError` when GnuTLS cannot be set up.
    public init(_ endpoint: Endpoint, limits: QUICLimits = QUICLimits()) throws(TLSError) {
        self.endpoint = endpoint
        self.limits = limits
        context = try QUICContext(certificate: endpoint.certificate, peerKey: endpoint.identity.peer)
    }

    /// What the listeners that are open have done with datagrams of no connection.
    public var counters: [QUICCounters] {
        get async {
            var counters: [QUICCounters] = []
            for entry in listeners {
                if let listener = entry.listener { counters.append(await listener.counters) }
            }
            return counters
        }
    }

    /// Resolves the host and tries its addresses in order until one answers.
    public func dial(
        _ address: Address, peer: PeerId, version: UInt32
    ) async throws(TransportError) -> any Connection {
        if let kind = address.kind, kind != .quic { throw .notSupported(kind) }
        endpoint.count { $0.dialed += 1 }
        var failure = TransportError.cannotConnect(address: address.description, reason: "no address")
        for target in try await resolve(address) {
            guard !Task.isCancelled else { throw .cancelled }
            do throws(TransportError) {
                return try await dial(target, peer, version)
            } catch {
                guard error.isUnreachable else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Binds to an IP address, or to all that a name has.
    public func listen(on address: Address) async throws(TransportError) -> any Listener {
        if let kind = address.kind, kind != .quic { throw .notSupported(kind) }
        var sockets: [DatagramSocket] = []
        var bound: [Address] = []
        for local in try await resolve(address) {
            // With a free port asked for, the first socket decides it for all.
            let port = bound.first?.port ?? local.port
            do throws(SocketError) {
                let socket = try open(.bound(to: local.with(port: port)))
                sockets.append(socket)
                bound.append(Address(kind: .quic, host: local.host, port: socket.localAddress.port))
            } catch {
                for socket in sockets { socket.close() }
                throw .cannotListen(address: local.description, reason: error.reason)
            }
        }
        let listener = QUICListener(addresses: bound, endpoint: endpoint, limits: limits, context: context)
        await listener.start(sockets)
        listeners.removeAll { $0.listener == nil }
        listeners.append(WeakListener(listener: listener))
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

    private func open(_ place: DatagramSocket.Place) throws(SocketError) -> DatagramSocket {
        guard let batch = batch ?? DatagramBatch() else {
            throw SocketError(operation: "making room for datagrams", code: SocketError.noMemory)
        }
        self.batch = batch
        return try DatagramSocket(on: endpoint.eventLoop, place, batch: batch)
    }

    private func dial(
        _ target: SocketAddress, _ peer: PeerId, _ version: UInt32
    ) async throws(TransportError) -> any Connection {
        let socket: DatagramSocket
        do throws(SocketError) {
            socket = try open(.connected(to: target))
        } catch {
            throw .cannotConnect(address: target.description, reason: error.reason)
        }
        let session = QUICSession.dialer(
            to: peer, on: DatagramPath(local: socket.localAddress, remote: target), context,
            QUICSettings(endpoint.limits, limits), now: endpoint.eventLoop.now(), unixTime: endpoint.unixTime)
        guard let session else {
            socket.close()
            throw .tls(.unavailable("QUIC session"))
        }
        let link = QUICLink(session, on: socket, remoteAddress: target.description, ownsSocket: true)
        let running = RunningDial(link, endpoint, limits)
        let result = await withTaskCancellationHandler {
            await begin(running, version)
        } onCancel: {
            endpoint.eventLoop.execute { running.cancel() }
        }
        return try result.get()
    }

    // A method of the actor and not a closure: a closure that does not use the actor itself runs outside it.
    private func begin(_ running: RunningDial, _ version: UInt32) async -> Result<QUICConnection, TransportError> {
        await withCheckedContinuation { running.start(version, $0) }
    }
}

/// A dial under way. Unchecked because it is used on the loop's thread only.
private final class RunningDial: @unchecked Sendable {
    private let link: QUICLink
    private let endpoint: Endpoint
    private let limits: QUICLimits
    private var handshake: QUICHandshake?

    init(_ link: QUICLink, _ endpoint: Endpoint, _ limits: QUICLimits) {
        self.link = link
        self.endpoint = endpoint
        self.limits = limits
    }

    func start(_ version: UInt32, _ continuation: CheckedContinuation<Result<QUICConnection, TransportError>, Never>) {
        let handshake = QUICHandshake(
            link, as: .dialer(version: version), endpoint: endpoint, linger: limits.refusalLinger
        ) { [self] result in
            self.handshake = nil
            continuation.resume(returning: result.flatMap(connection))
        }
        self.handshake = handshake
        handshake.start()
    }

    func cancel() {
        handshake?.cancel(.cancelled)
    }

    private func connection(_ outcome: QUICHandshake.Outcome) -> Result<QUICConnection, TransportError> {
        let connection = QUICConnection.make(
            outcome, link, isIncoming: false, endpoint, keepAlive: limits.keepAlive)
        guard let connection else {
            return .failure(
                .closed(.tooManyConnections, detail: "\(endpoint.limits.connections) connections are open"))
        }
        return .success(connection)
    }
}

extension TransportError {
    /// Whether nobody was reached, so that another address of the same host may fare better.
    fileprivate var isUnreachable: Bool {
        switch self {
        case .cannotConnect, .deadlineExceeded(.connecting): true
        default: false
        }
    }
}
