internal import AnySyncWire
public import PushCrypto

/// Reaches a peer by a list of addresses: encrypted kinds first, each protocol version until one is taken (protocol.md §5,
/// §6). Remembers for each peer which version worked, and leaves a peer that takes none in peace for a while.
public actor Dialer {
    private nonisolated let endpoint: Endpoint
    private nonisolated let transports: [any Transport]
    private var negotiations: [PeerId: VersionNegotiation] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        endpoint.eventLoop.asUnownedSerialExecutor()
    }

    /// A dialer over the transports of this build.
    public init(_ endpoint: Endpoint, transports: [any Transport]) {
        self.endpoint = endpoint
        self.transports = transports
    }

    /// Connects to a peer by the first address that works.
    ///
    /// - Parameters:
    ///   - addresses: where the peer may listen; a bare one stands for every kind in this build.
    ///   - peer: who must be there.
    /// - Throws: the error of the only address tried, or ``TransportError/allAddressesFailed(_:)``;
    ///   ``TransportError/noCommonVersion(retryAfter:)`` when the peer takes none of our versions.
    public func dial(_ addresses: [Address], peer: PeerId) async throws(TransportError) -> any Connection {
        var failures: [DialFailure] = []
        var unreachable: Set<Address> = []
        for address in candidates(addresses) {
            // Two kinds on one TCP port: what cannot be reached for one cannot be reached for the other.
            let place = Address(kind: address.kind == .quic ? .quic : nil, host: address.host, port: address.port)
            guard !unreachable.contains(place) else { continue }
            do throws(TransportError) {
                return try await dial(address, peer: peer)
            } catch {
                if error == .cancelled { throw error }
                if case .noCommonVersion = error { throw error }
                if error.isUnreachable { unreachable.insert(place) }
                failures.append(DialFailure(address: address, error: error))
            }
        }
        if failures.count == 1 { throw failures[0].error }
        throw .allAddressesFailed(failures)
    }

    /// The addresses in the order they are tried.
    private func candidates(_ addresses: [Address]) -> [Address] {
        let available = Set(transports.flatMap(\.kinds))
        var expanded: [Address] = []
        for address in addresses {
            if address.kind != nil {
                expanded.append(address)
            } else {
                expanded += Self.preference.filter(available.contains).map { address.with(kind: $0) }
            }
        }
        let encrypted = expanded.filter { $0.kind?.isEncrypted == true }
        let readable = expanded.filter { $0.kind?.isEncrypted != true }
        return encrypted + readable
    }

    // protocol.md §5: QUIC first, and whatever is encrypted before what is not.
    private static let preference: [ConnectionKind] = [.quic, .tlsYamux, .yamux]

    /// Dials one address with each version until the peer takes one.
    private func dial(_ address: Address, peer: PeerId) async throws(TransportError) -> any Connection {
        guard let kind = address.kind, let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
            throw .notSupported(address.kind ?? .quic)
        }
        while true {
            let version = try nextVersion(for: peer)
            do throws(TransportError) {
                let connection = try await transport.dial(address, peer: peer, version: version)
                negotiations[peer]?.succeeded(version)
                return connection
            } catch {
                guard case .handshake(let failure) = error, failure.isVersionRefusal else { throw error }
                negotiations[peer]?.wasRefused(version, now: endpoint.eventLoop.now())
            }
        }
    }

    private func nextVersion(for peer: PeerId) throws(TransportError) -> UInt32 {
        let now = endpoint.eventLoop.now()
        var negotiation = negotiations[peer] ?? VersionNegotiation(order: endpoint.identity.dialVersions)
        let attempt = negotiation.next(now: now)
        negotiations[peer] = negotiation
        switch attempt {
        case .dial(let version): return version
        case .wait(let until): throw .noCommonVersion(retryAfter: now.duration(to: until))
        }
    }
}

/// One address that did not work.
public struct DialFailure: Hashable, Sendable {
    /// The address tried.
    public let address: Address
    /// Why it did not work.
    public let error: TransportError
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
