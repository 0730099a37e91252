internal import AnySyncWire
public import PushCrypto

/// Reaches a peer by a list of addresses, racing them (protocol.md §5, RFC 8305), with each protocol version until one
/// is taken (protocol.md §6).
///
/// Encrypted kinds start first, each ``NetLimits/attemptDelay`` after the one before or as soon as one has failed; the
/// first to come through wins, and the others are cancelled. **A readable kind never wins for being faster**: it
/// starts only once each encrypted one has failed or has had its ``NetLimits/encryptedHeadStart``.
///
/// A dialer remembers for each peer which address and which version worked, and leaves a peer that takes no version in
/// peace for a while. A readable kind is not tried at all where its ``DialPolicy`` says so.
public actor Dialer {
    private nonisolated let endpoint: Endpoint
    private nonisolated let transports: [any Transport]
    private nonisolated let policy: DialPolicy
    private var memories: [PeerId: PeerMemory] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        endpoint.eventLoop.asUnownedSerialExecutor()
    }

    /// A dialer over the transports of this build.
    public init(_ endpoint: Endpoint, transports: [any Transport], policy: DialPolicy = DialPolicy()) {
        self.endpoint = endpoint
        self.transports = transports
        self.policy = policy
    }

    /// Connects to a peer by the first address that works.
    ///
    /// - Parameters:
    ///   - addresses: where the peer may listen; a bare one stands for every kind in this build.
    ///   - peer: who must be there.
    ///   - onlyEncrypted: whether to leave readable kinds out of this dial, whatever the policy says.
    /// - Throws: the error of the only address tried, or ``TransportError/allAddressesFailed(_:)``;
    ///   ``TransportError/noCommonVersion(retryAfter:)`` when the peer takes none of our versions;
    ///   ``TransportError/encryptionRequired(_:)`` when every address is readable and none may be.
    public func dial(
        _ addresses: [Address], peer: PeerId, onlyEncrypted: Bool = false
    ) async throws(TransportError) -> any Connection {
        let memory = memory(of: peer)
        let candidates = memory.ordered(try admitted(expanded(addresses), peer, onlyEncrypted))
        let line = DialLine(on: endpoint.eventLoop) { [self] in assumeIsolated { $0.nextVersion(for: peer) } }
        let race = Race<any Connection>(
            attempt: { [self] (index) async throws(TransportError) in
                try await attempt(index, at: candidates[index], peer, line)
            },
            discard: { await $0.close(.local) },
            passesOver: { index, failures in
                // Two kinds on one TCP port: what cannot be reached for one cannot be reached for the other.
                failures.contains { $0.value.isUnreachable && candidates[$0.key].isSamePlace(as: candidates[index]) }
            },
            decides: { if case .noCommonVersion = $0 { true } else { false } }
        )
        let outcome = await race.run(memory.schedule(candidates, endpoint.limits), on: endpoint.eventLoop)
        memories[peer]?.learn(from: outcome, over: candidates)
        if let winner = outcome.winner {
            if winner.prize.kind.isEncrypted { policy.encryptedPeers.insert(peer) }
            return winner.prize
        }
        if let verdict = outcome.verdict { throw verdict }
        let failures = outcome.failures.sorted { $0.key < $1.key }
        if failures.count == 1 { throw failures[0].value }
        throw .allAddressesFailed(failures.map { DialFailure(address: candidates[$0.key], error: $0.value) })
    }

    /// The addresses with a kind each.
    private func expanded(_ addresses: [Address]) -> [Address] {
        let available = Set(transports.flatMap(\.kinds))
        var expanded: [Address] = []
        for address in addresses {
            let kinds = address.kind.map { [$0] } ?? Self.preference.filter(available.contains)
            for candidate in kinds.map({ address.with(kind: $0) }) where !expanded.contains(candidate) {
                expanded.append(candidate)
            }
        }
        return expanded
    }

    /// The addresses whose kind may be used with the peer.
    private func admitted(
        _ addresses: [Address], _ peer: PeerId, _ onlyEncrypted: Bool
    ) throws(TransportError) -> [Address] {
        guard let reason = policy.reason(for: peer) ?? (onlyEncrypted ? .required : nil) else { return addresses }
        let encrypted = addresses.filter { $0.kind?.isEncrypted == true }
        guard !encrypted.isEmpty || addresses.isEmpty else { throw .encryptionRequired(reason) }
        return encrypted
    }

    // protocol.md §5: QUIC first, and whatever is encrypted before what is not.
    private static let preference: [ConnectionKind] = [.quic, .tlsYamux, .yamux]

    /// Dials one address with each version until the peer takes one.
    private func attempt(
        _ index: Int, at address: Address, _ peer: PeerId, _ line: DialLine
    ) async throws(TransportError) -> any Connection {
        guard let kind = address.kind, let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
            throw .notSupported(address.kind ?? .quic)
        }
        while true {
            // A peer that takes no version is not even connected to.
            _ = try nextVersion(for: peer).get()
            do throws(TransportError) {
                let connection = try await transport.dial(address, peer: peer, turn: DialTurn(index, in: line))
                if let version = line.version(of: index) { memories[peer]?.negotiation.succeeded(version) }
                return connection
            } catch {
                endpoint.reportRefusal(error, isIncoming: false)
                if case .handshake(let failure) = error, failure.isVersionRefusal {
                    memories[peer]?.negotiation.wasRefused(failure.localVersion, now: endpoint.eventLoop.now())
                    line.leave(index)
                } else {
                    line.leave(index)
                    throw error
                }
            }
        }
    }

    private func nextVersion(for peer: PeerId) -> Result<UInt32, TransportError> {
        let now = endpoint.eventLoop.now()
        var memory = memory(of: peer)
        let attempt = memory.negotiation.next(now: now)
        memories[peer] = memory
        switch attempt {
        case .dial(let version): return .success(version)
        case .wait(let until): return .failure(.noCommonVersion(retryAfter: now.duration(to: until)))
        }
    }

    private func memory(of peer: PeerId) -> PeerMemory {
        memories[peer] ?? PeerMemory(negotiation: VersionNegotiation(order: endpoint.identity.dialVersions))
    }
}

/// One address that did not work.
public struct DialFailure: Hashable, Sendable {
    /// The address tried.
    public let address: Address
    /// Why it did not work.
    public let error: TransportError
}

extension Address {
    /// Whether both lead to the same port of the same host.
    fileprivate func isSamePlace(as other: Address) -> Bool {
        host == other.host && port == other.port && (kind == .quic) == (other.kind == .quic)
    }
}

extension TransportError {
    /// Whether no TCP connection came about, whatever would have been spoken on it.
    fileprivate var isUnreachable: Bool {
        switch self {
        case .cannotResolve, .cannotConnect, .deadlineExceeded(.resolving), .deadlineExceeded(.connecting): true
        default: false
        }
    }
}
