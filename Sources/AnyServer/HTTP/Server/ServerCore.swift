internal import Synchronization

/// The state of a server, on the loop's thread: its connections, the handlers at work for them and their deadlines.
actor ServerCore {
    nonisolated let loop: HTTPLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let router: Router
    let limits: HTTPLimits
    let clock: HTTPClock
    let onAccess: @Sendable (AccessRecord) -> Void

    var daemon: HTTPDaemon?
    /// The name of the socket that it listens on, when it has one in the file system.
    var socketFile: UnixSocketFile?
    var clients: [UInt64: Client] = [:]
    /// The handlers at work, by exchange. One whose client has gone stays until it is done.
    var handlers: [UInt64: Task<Void, Never>] = [:]
    /// The connections whose other side has closed its direction.
    var halfClosed: Set<UInt64> = []
    /// How many connections were told to close for others.
    var leavingCount = 0
    var streamCount = 0
    var bufferedBytes = 0
    /// When the streams were last looked at for what they hold.
    var streamsChecked = Duration.zero
    var ids: RequestIds
    var nextExchange: UInt64 = 0
    var stage = Stage.running
    var waiters: [UInt64: Waiter] = [:]
    var nextWaiter: UInt64 = 0
    var deadlines: Task<Void, Never>?
    var deadlinesTarget: Duration?
    var keepalives: Task<Void, Never>?

    enum Stage {
        case running
        /// No connection is accepted and no request is begun any more.
        case draining
        case stopped
    }

    /// The tag of the daemon's descriptor; those of connections follow.
    private static let daemonTag: UInt64 = 1

    init(
        loop: HTTPLoop, router: Router, limits: HTTPLimits, clock: HTTPClock, ids: RequestIds,
        onAccess: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.loop = loop
        self.router = router
        self.limits = limits
        self.clock = clock
        self.ids = ids
        self.onAccess = onAccess
    }

    /// Starts to serve.
    ///
    /// - Returns: The address with the port that was picked.
    func start(at address: ListenAddress) throws(HTTPServerError) -> ListenAddress {
        let socket = try ListeningSocket(address)
        let bound = socket.address
        let daemon = try HTTPDaemon(
            socket: socket, connections: limits.connections + HTTPLimits.spareConnections,
            connectionMemory: limits.connectionMemory, firstId: Self.daemonTag + 1, delegate: self)
        guard loop.watchReadable(daemon.descriptor, tag: Self.daemonTag) else {
            let error = SystemCall.lastError
            daemon.stop()
            throw .system(operation: "watching the HTTP daemon", error: error)
        }
        self.daemon = daemon
        socketFile = address.socketPath.map { UnixSocketFile(path: $0) }
        loop.attach(self)
        return bound
    }

    // MARK: Handlers

    /// Sends a complete request to its handler.
    func handle(_ connection: HTTPConnection, body: [UInt8]) {
        guard var client = clients[connection.id], case .reading(let head) = client.phase, let record = client.record
        else { return connection.abort() }
        nextExchange += 1
        let exchange = nextExchange
        client.phase = .handling
        client.exchange = exchange
        clients[connection.id] = client
        setDeadline(of: connection.id, in: limits.handlerTime)
        let id = connection.id
        handlers[exchange] = Task { @concurrent [router] in
            let outcome = await router.respond(to: head, body: body, id: record.id)
            await self.finish(exchange, of: id, EncodedResponse(outcome.response), route: outcome.route)
        }
    }

    /// Answers with what a handler made, if its client is still there.
    private func finish(_ exchange: UInt64, of id: UInt64, _ response: EncodedResponse, route: PathTemplate?) {
        handlers[exchange] = nil
        guard var client = clients[id], client.exchange == exchange else {
            if case .events(let stream) = response.body { stream.end() }
            return
        }
        client.exchange = nil
        client.record?.route = route
        release(&client)
        clients[id] = client
        switch response.body {
        case .bytes: answer(id, response)
        case .events(let stream): open(stream, for: id, response)
        }
    }

    /// Writes a response that is no stream.
    func answer(_ id: UInt64, _ response: EncodedResponse) {
        guard var client = clients[id] else { return }
        var response = response
        if stage != .running { response.headers.add("Connection", "close") }
        client.phase = .responding
        client.record?.status = response.status
        if case .bytes(let bytes) = response.body { client.responseBytes = bytes.count }
        clients[id] = client
        setDeadline(of: id, in: limits.responseTime)
        _ = client.connection.respond(response)
        boundResponses()
    }

    /// Gives back what a request's body took of the server's limit.
    func release(_ client: inout Client) {
        bufferedBytes -= client.bufferedBytes
        client.bufferedBytes = 0
    }

    /// The client of a request can not get the answer any more.
    func abandon(_ id: UInt64) {
        guard var client = clients[id] else { return }
        if let exchange = client.exchange {
            handlers[exchange]?.cancel()
            client.exchange = nil
        }
        release(&client)
        clients[id] = client
        client.connection.abort()
    }
}

// MARK: - The loop

extension ServerCore: HTTPLoopClient {
    nonisolated func turn(signals: [UInt64], events: [EventPoll.Event]) -> Bool {
        assumeIsolated { core in
            for event in events where event.tag != Self.daemonTag { core.hungUp(event.tag, isBroken: event.isBroken) }
            for id in signals { core.clients[id]?.connection.resume() }
            let isBusy = core.daemon?.run() ?? false
            core.closeUnfinished()
            core.boundStreams()
            return isBusy
        }
    }

    /// Closes the connections whose clients have closed their direction and still owe a request.
    private func closeUnfinished() {
        for id in halfClosed {
            guard let client = clients[id] else { continue }
            switch client.phase {
            case .idle, .reading: if client.connection.endsUnfinished { client.connection.abort() }
            case .handling, .responding, .streaming, .refused: break
            }
        }
    }

    /// A client has closed its direction, or both.
    private func hungUp(_ id: UInt64, isBroken: Bool) {
        guard let client = clients[id] else { return }
        halfClosed.insert(id)
        switch client.phase {
        // Nobody has use for events without reading them, and who reads them keeps the connection open.
        case .streaming: client.connection.abort()
        // A client may close its direction after its request and still wait for the answer.
        case .handling where isBroken: abandon(id)
        default: break
        }
    }
}
