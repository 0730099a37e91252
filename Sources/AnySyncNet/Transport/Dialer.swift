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
    private var dials: [UInt64: Dial] = [:]
    private var nextDial: UInt64 = 0

    /// A dial under way.
    private struct Dial {
        let peer: PeerId
        let candidates: [Address]
        let line: DialLine
    }

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
    ///   ``TransportError/noCommonVersion(last:retryAfter:)`` when the peer takes none of our versions;
    ///   ``TransportError/encryptionRequired(_:)`` when every address is readable and none may be.
    public func dial(
        _ addresses: [Address], peer: PeerId, onlyEncrypted: Bool = false
    ) async throws(TransportError) -> any Connection {
        let memory = memory(of: peer)
        let candidates = memory.ordered(try admitted(expanded(addresses), peer, onlyEncrypted))
        let dial = nextDial
        nextDial += 1
        let line = DialLine(on: endpoint.eventLoop) { [self] attempt in
            assumeIsolated { $0.nextVersion(of: attempt, in: dial) }
        }
        dials[dial] = Dial(peer: peer, candidates: candidates, line: line)
        defer { dials[dial] = nil }
        let race = Race<any Connection>(
            attempt: { [self] (index) async throws(TransportError) in
                try await attempt(index, at: candidates[index], peer, line, dial)
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

    /// What each address has come to so far that is being dialled for a peer; `nil` for one that is still tried.
    public func progress(of peer: PeerId) -> [(address: Address, error: TransportError?)] {
        dials.sorted { $0.key < $1.key }.map(\.value).filter { $0.peer == peer }.flatMap { dial in
            dial.candidates.indices.map { (dial.candidates[$0], dial.line.failures[$0]) }
        }
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
        _ index: Int, at address: Address, _ peer: PeerId, _ line: DialLine, _ dial: UInt64
    ) async throws(TransportError) -> any Connection {
        guard let kind = address.kind, let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
            throw .notSupported(address.kind ?? .quic)
        }
        while true {
            // A peer that takes no version is not even connected to.
            _ = try nextVersion(of: index, in: dial).get()
            do throws(TransportError) {
                let connection = try await transport.dial(address, peer: peer, turn: DialTurn(index, in: line))
                if let version = line.version(of: index) { memories[peer]?.negotiation.succeeded(version) }
                return connection
            } catch {
                endpoint.reportRefusal(error, isIncoming: false)
                line.note(error, of: index)
                guard case .handshake(let failure) = error, failure.isVersionRefusal || failure.mayBeVersionRefusal
                else {
                    line.leave(index)
                    throw error
                }
                if failure.isVersionRefusal {
                    memories[peer]?.lastRefusal = failure
                    memories[peer]?.negotiation.wasRefused(failure.localVersion, now: endpoint.eventLoop.now())
                }
                line.leave(index)
            }
        }
    }

    /// The version that an attempt says next. Where a refusal may lose its reason, each is said once in a dial; elsewhere
    /// what is doubted is asked for again, for there the peer says what it means.
    private func nextVersion(of attempt: Int, in dial: UInt64) -> Result<UInt32, TransportError> {
        guard let dial = dials[dial] else { return .failure(.cancelled) }
        let now = endpoint.eventLoop.now()
        var memory = memory(of: dial.peer)
        let next = memory.negotiation.next(now: now, doubted: dial.line.doubted)
        memories[dial.peer] = memory
        switch next {
        case .wait(let until):
            return .failure(.noCommonVersion(last: memory.lastRefusal, retryAfter: now.duration(to: until)))
        case .dial(let version):
            guard let doubt = dial.line.doubt, dial.line.doubted.contains(version),
                dial.candidates[attempt].kind == .quic
            else { return .success(version) }
            return .failure(doubt)
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
