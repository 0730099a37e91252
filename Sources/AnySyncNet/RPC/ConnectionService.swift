/// Serves one connection for a ``DRPCServer``: takes its streams and runs one task for each.
actor ConnectionService {
    nonisolated let connection: any Connection
    nonisolated let server: DRPCServer
    nonisolated let caller: CallerContext

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        connection.eventLoop.asUnownedSerialExecutor()
    }

    /// What the connection holds of its endpoint's memory; `nil` for one of a host's own making, which is not bounded.
    nonisolated let holding: Holding?
    nonisolated let party: CallParty
    /// Answers that the caller has not taken in time.
    var untakenAnswers = 0
    private var streams: [ObjectIdentifier: ServedStream] = [:]
    private var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
    private var isDraining = false
    private var drainTimer: LoopTimer?
    private var isDone = false
    private var whenDone: [CheckedContinuation<Void, Never>] = []

    init(_ connection: any Connection, of server: DRPCServer) {
        self.connection = connection
        self.server = server
        let managed = connection as? any ManagedConnection
        holding = managed?.holding
        party = CallParty(account: connection.remoteIdentity, address: managed?.addressGroup)
        caller = CallerContext(
            peerId: connection.remotePeerId, identity: connection.remoteIdentity, version: connection.version,
            kind: connection.kind, address: managed?.addressGroup)
    }

    /// Serves until the connection closes or the task is cancelled, and every handler has ended.
    func run() async {
        while let stream = await connection.nextStream() {
            begin(stream)
        }
        // Closed, drained or cancelled: what is left must end.
        stopAll()
        while let task = tasks.values.first {
            await task.value
        }
        drainTimer?.cancel()
        await connection.close(.shutDown)
        isDone = true
        for continuation in whenDone { continuation.resume() }
        whenDone = []
    }

    /// Takes no new calls and lets running ones finish within `limit`. Returns when ``run()`` does.
    func drain(within limit: Duration) async {
        guard !isDone else { return }
        if !isDraining {
            isDraining = true
            for served in streams.values { drain(served) }
            drainTimer = connection.eventLoop.schedule(after: limit) { [weak self] in
                self?.assumeIsolated { $0.stopAll() }
            }
            if streams.isEmpty { await connection.close(.shutDown) }
        }
        await withCheckedContinuation { whenDone.append($0) }
    }

    private func begin(_ stream: any ByteStream) {
        guard !isDraining else { return stream.close() }
        let served = ServedStream(stream)
        let id = ObjectIdentifier(served)
        streams[id] = served
        server.count { $0.activeStreams += 1 }
        // Starts on this actor, so it costs no hop; `run` awaits it.
        tasks[id] = Task {
            await serve(served)
            await ended(id)
        }
    }

    private func ended(_ id: ObjectIdentifier) async {
        streams[id] = nil
        tasks[id] = nil
        server.count { $0.activeStreams -= 1 }
        // `run` waits for the next stream, which a draining connection must not bring.
        if isDraining, streams.isEmpty { await connection.close(.shutDown) }
    }

    /// Ends a stream once it has no call.
    private func drain(_ served: ServedStream) {
        served.isDraining = true
        if served.running == nil { served.stream.close() }
    }

    private func stopAll() {
        for served in streams.values {
            served.running?.cancel()
            served.stream.close()
        }
    }
}
