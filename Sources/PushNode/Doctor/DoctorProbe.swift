import AnySyncNet
import PushAPI
import PushCrypto

/// What trying the node's addresses came to.
struct DoctorProbe: Sendable {
    /// Each host name with its addresses, or why it has none.
    var hosts: [(host: String, result: Result<[String], TransportError>)] = []
    /// Every connection that was tried.
    var attempts: [Attempt] = []
    /// How many more addresses there were than are tried.
    var leftOut = 0
    /// The call to the node, over the best connection; `nil` when there was none to call over.
    var call: Call?

    /// The connection that the account had before.
    var livePath: PushNodePath?

    /// Why there is no connection, as the end of a sentence; `nil` when there is one. What needs one says this, so that
    /// one cause is told once.
    var obstacle: String? {
        if attempts.contains(where: { $0.connection != nil }) { return nil }
        if attempts.isEmpty { return "no address of the node is found" }
        if !attempts.contains(where: { $0.isPast(.connect) }) { return "no address of the node answers" }
        if !attempts.contains(where: { $0.isPast(.tls) }) { return "TLS with the node fails" }
        return "the node turns us away"
    }

    /// One connection that was tried.
    struct Attempt: Sendable {
        /// The address as it is configured.
        let configured: Address
        /// What was called: one of its IP addresses, of one kind.
        let address: Address
        let duration: Duration
        let result: Result<any Connection, TransportError>

        var error: TransportError? {
            if case .failure(let error) = result { error } else { nil }
        }

        var connection: (any Connection)? { try? result.get() }

        /// Whether it got past a stage.
        func isPast(_ stage: DoctorStage.Name) -> Bool { error.map { $0.doctorStage > stage } ?? true }
    }

    /// The call that was made.
    struct Call: Sendable {
        let path: any Connection
        let duration: Duration
        let topics: Result<[SubscribedTopic], PushNodeError>
    }
}

extension TransportError {
    /// The stage at which a connection came to nothing.
    var doctorStage: DoctorStage.Name {
        switch self {
        case .cannotResolve, .deadlineExceeded(.resolving): .resolution
        case .cannotConnect, .cannotListen, .deadlineExceeded(.connecting), .notSupported, .cancelled,
            .encryptionRequired:
            .connect
        case .tls, .certificate, .wrongPeer, .deadlineExceeded(.handshake), .closed, .streamReset: .tls
        case .handshake, .noCommonVersion, .tooManyStreams: .handshake
        case .allAddressesFailed(let failures): failures.last?.error.doctorStage ?? .connect
        }
    }
}

extension PushDoctor {
    /// Tries every address of the node, and calls it over the best connection. `nil` when push does not run.
    func examineNetwork() async -> DoctorProbe? {
        guard let node = account.options.node, let runtime = account.runtime else { return nil }
        var probe = DoctorProbe()
        if case .connected(let live) = await runtime.client.status.state { probe.livePath = live }
        let targets = await lookUp(node, runtime.network.eventLoop, &probe)
        probe.leftOut = max(targets.count - limits.connections, 0)
        probe.attempts = await dial(Array(targets.prefix(limits.connections)), node, runtime)
        probe.call = await call(over: probe.attempts, node, runtime)
        for attempt in probe.attempts { await attempt.connection?.close(.local) }
        return probe
    }

    /// The addresses to try: one for each IP address and kind.
    private func lookUp(_ node: PushNodeLocation, _ loop: EventLoop, _ probe: inout DoctorProbe) async -> [Target] {
        var known: [String: [String]] = [:]
        let hosts = node.addresses.map(\.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let timeout = limits.connectionStep
        await withTaskGroup(of: (Int, Result<[String], TransportError>).self) { group in
            for (index, host) in hosts.enumerated() {
                group.addTask {
                    do throws(TransportError) {
                        let found = try await Resolver.shared.addresses(of: host, port: 0, on: loop, timeout: timeout)
                        return (index, .success(found.map(\.host)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<[String], TransportError>] = [:]
            for await (index, result) in group { results[index] = result }
            for (index, host) in hosts.enumerated() {
                guard let result = results[index] else { continue }
                known[host] = try? result.get()
                probe.hosts.append((host, result))
            }
        }
        return node.addresses.flatMap { address in
            (known[address.host] ?? []).flatMap { host in
                (address.kind.map { [$0] } ?? ConnectionKind.allCases).map {
                    Target(configured: address, address: Address(kind: $0, host: host, port: address.port))
                }
            }
        }
    }

    private func dial(
        _ targets: [Target], _ node: PushNodeLocation, _ runtime: PushRuntime
    ) async -> [DoctorProbe.Attempt] {
        await withTaskGroup(of: (Int, DoctorProbe.Attempt?).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask { (index, await self.attempt(target, node, runtime)) }
            }
            var attempts: [Int: DoctorProbe.Attempt] = [:]
            for await (index, attempt) in group { attempts[index] = attempt }
            return targets.indices.compactMap { attempts[$0] }
        }
    }

    private func attempt(
        _ target: Target, _ node: PushNodeLocation, _ runtime: PushRuntime
    ) async -> DoctorProbe.Attempt? {
        let stopwatch = Stopwatch(.continuous)
        func attempt(_ result: Result<any Connection, TransportError>) -> DoctorProbe.Attempt {
            DoctorProbe.Attempt(
                configured: target.configured, address: target.address, duration: stopwatch.elapsed(), result: result
            )
        }
        var net = NetLimits()
        net.connectTimeout = limits.connectionStep
        net.handshakeTimeout = limits.connectionStep
        // A device of its own for each connection: of one device the node would keep the last only.
        let network: PushNetwork
        do {
            network = try PushNetwork(
                account.options, device: SigningKey(), on: runtime.network.eventLoop, limits: net
            )
        } catch {
            return attempt(.failure(.tls(.unavailable(PushEvent.text(of: error)))))
        }
        // What a bare address stands for is tried only as far as this build can.
        let isOffered = network.transports.contains { target.address.kind.map($0.kinds.contains) ?? true }
        guard isOffered || target.configured.kind != nil else { return nil }
        let dialer = Dialer(network.endpoint, transports: network.transports, policy: account.options.dialPolicy)
        do {
            let connection = try await withDeadline(limits.connection, on: .continuous) {
                try await dialer.dial([target.address], peer: node.peerId)
            }
            return attempt(.success(connection))
        } catch TransportError.encryptionRequired where target.configured.kind == nil {
            return nil
        } catch let error as TransportError {
            return attempt(.failure(error))
        } catch {
            return attempt(.failure(.deadlineExceeded(.handshake)))
        }
    }

    private func call(
        over attempts: [DoctorProbe.Attempt], _ node: PushNodeLocation, _ runtime: PushRuntime
    ) async -> DoctorProbe.Call? {
        let connections = attempts.compactMap(\.connection)
        guard let connection = connections.first(where: \.isEncrypted) ?? connections.first else { return nil }
        var net = PushNodeClient.Limits()
        net.callTimeout = limits.call
        let client = PushNodeClient(
            account: account.options.account, node: node, dialer: FixedDialer(connection: connection), limits: net
        )
        let stopwatch = Stopwatch(.continuous)
        let topics: Result<[SubscribedTopic], PushNodeError>
        do throws(PushNodeError) {
            topics = .success(try await client.subscriptions())
        } catch {
            topics = .failure(error)
        }
        let duration = stopwatch.elapsed()
        await client.close()
        return DoctorProbe.Call(path: connection, duration: duration, topics: topics)
    }
}

/// One IP address of the node, of one kind.
private struct Target: Sendable {
    let configured: Address
    let address: Address
}

/// Hands out a connection that was made before.
private struct FixedDialer: PushNodeDialer {
    let connection: any Connection

    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        connection
    }
}
