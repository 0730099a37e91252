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
    private nonisolated let contexts: QUICContextKeeper
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
        contexts = try QUICContextKeeper(endpoint)
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

    /// Resolves the host, races its IP addresses, and exchanges credentials over the first where the peer is proven.
    public func dial(
        _ address: Address, peer: PeerId, turn: DialTurn
    ) async throws(TransportError) -> any Connection {
        if let kind = address.kind, kind != .quic { throw .notSupported(kind) }
        endpoint.count { $0.dialed += 1 }
        let targets = try await resolve(address)
        let race = Race<RunningDial>(
            attempt: { [self] (index) async throws(TransportError) in try await prove(peer, at: targets[index]) },
            discard: { [loop = endpoint.eventLoop] dial in await loop.onLoop { dial.cancel() } },
            // Whoever answers says the same at another address.
            decides: { !$0.isUnreachable }
        )
        let entries = targets.map { _ in RaceSchedule.Entry() }
        let outcome = await race.run(
            RaceSchedule(entries, delay: endpoint.limits.attemptDelay), on: endpoint.eventLoop)
        if let winner = outcome.winner { return try await exchangeCredentials(over: winner.prize, turn) }
        throw outcome.verdict ?? outcome.failures.max { $0.key < $1.key }?.value
            ?? .cannotConnect(address: address.description, reason: "no address")
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
        let listener = QUICListener(addresses: bound, endpoint: endpoint, limits: limits, contexts: contexts)
        await listener.start(sockets)
        listeners.removeAll { $0.listener == nil }
        listeners.append(WeakListener(listener: listener))
        return listener
    }

    private func resolve(_ address: Address) async throws(TransportError) -> [SocketAddress] {
        try await Resolver.shared.addresses(
            of: address.host, port: address.port, on: endpoint.eventLoop, timeout: endpoint.limits.connectTimeout)
    }

    private func open(_ place: DatagramSocket.Place) throws(SocketError) -> DatagramSocket {
        guard let batch = batch ?? DatagramBatch() else {
            throw SocketError(operation: "making room for datagrams", code: SocketError.noMemory)
        }
        self.batch = batch
        return try DatagramSocket(on: endpoint.eventLoop, place, batch: batch)
    }

    /// Does TLS with a peer at an IP address.
    private func prove(_ peer: PeerId, at target: SocketAddress) async throws(TransportError) -> RunningDial {
        let socket: DatagramSocket
        do throws(SocketError) {
            socket = try open(.connected(to: target))
        } catch {
            throw .cannotConnect(address: target.description, reason: error.reason)
        }
        let session = QUICSession.dialer(
            to: peer, on: DatagramPath(local: socket.localAddress, remote: target), contexts.current,
            QUICSettings(endpoint.limits, limits), now: endpoint.eventLoop.now(), unixTime: endpoint.unixTime)
        guard let session else {
            socket.close()
            throw .tls(.unavailable("QUIC session"))
        }
        let link = QUICLink(session, on: socket, remote: target, ownsSocket: true)
        let dial = RunningDial(link, endpoint, limits)
        let result = await withTaskCancellationHandler {
            await prove(dial)
        } onCancel: {
            endpoint.eventLoop.execute { dial.cancel() }
        }
        try result.get()
        return dial
    }

    private func exchangeCredentials(
        over dial: RunningDial, _ turn: DialTurn
    ) async throws(TransportError) -> any Connection {
        let version: UInt32
        do throws(TransportError) {
            version = try await turn.begin()
        } catch {
            dial.cancel()
            throw error
        }
        let result = await withTaskCancellationHandler {
            await exchange(dial, version)
        } onCancel: {
            endpoint.eventLoop.execute { dial.cancel() }
        }
        return try result.get()
    }

    // Methods of the actor and not closures: a closure that does not use the actor itself runs outside it.
    private func prove(_ dial: RunningDial) async -> Result<Void, TransportError> {
        await withCheckedContinuation { dial.start($0) }
    }

    private func exchange(_ dial: RunningDial, _ version: UInt32) async -> Result<QUICConnection, TransportError> {
        await withCheckedContinuation { dial.exchangeCredentials(version, $0) }
    }
}

/// A dial under way: first the peer is proven, then credentials are exchanged. Unchecked because it is used on the
/// loop's thread only.
private final class RunningDial: @unchecked Sendable {
    private let link: QUICLink
    private let endpoint: Endpoint
    private let limits: QUICLimits
    private var handshake: QUICHandshake?
    private var whenProven: CheckedContinuation<Result<Void, TransportError>, Never>?
    private var whenDone: CheckedContinuation<Result<QUICConnection, TransportError>, Never>?
    /// How it ended, if nobody waited then.
    private var failure = TransportError.cancelled

    init(_ link: QUICLink, _ endpoint: Endpoint, _ limits: QUICLimits) {
        self.link = link
        self.endpoint = endpoint
        self.limits = limits
    }

    func start(_ continuation: CheckedContinuation<Result<Void, TransportError>, Never>) {
        whenProven = continuation
        let role = QUICHandshake.Role.dialer { [weak self] in self?.proven(.success(())) }
        let handshake = QUICHandshake(link, as: role, endpoint: endpoint, linger: limits.refusalLinger) {
            [self] in ended($0)
        }
        self.handshake = handshake
        handshake.start()
    }

    func exchangeCredentials(
        _ version: UInt32, _ continuation: CheckedContinuation<Result<QUICConnection, TransportError>, Never>
    ) {
        guard let handshake else { return continuation.resume(returning: .failure(failure)) }
        whenDone = continuation
        handshake.beginCredentials(version: version)
    }

    func cancel() {
        handshake?.cancel(.cancelled)
    }

    private func proven(_ result: Result<Void, TransportError>) {
        whenProven?.resume(returning: result)
        whenProven = nil
    }

    private func ended(_ result: Result<QUICHandshake.Outcome, TransportError>) {
        handshake = nil
        if case .failure(let error) = result {
            failure = error
            proven(.failure(error))
        }
        whenDone?.resume(returning: result.flatMap(connection))
        whenDone = nil
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
