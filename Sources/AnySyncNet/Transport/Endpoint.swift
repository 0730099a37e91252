package import AnySyncWire
internal import Glibc
internal import Locks
package import PushCrypto

/// Our side of every connection of one identity: who we are, what we grant, and what is open. Transports share it, so
/// that limits and "one connection for each peer id" hold across them.
public final class Endpoint: Sendable {
    /// The loop that runs the connections.
    public let eventLoop: EventLoop
    /// Who we are.
    public let identity: LocalIdentity
    /// What peers are granted.
    public let limits: NetLimits
    private let certificates: CertificateKeeper
    package let unixTime: @Sendable () -> Int64
    /// The memory for the peers of incoming connections; for the loop's thread.
    package let pot: SharePot
    /// Incoming connections that have proven nothing yet; for the loop's thread.
    package let unproven: Unproven
    private let onEvent: @Sendable (NetEvent) -> Void
    private let descriptorLimit = Descriptors.limit
    private let state: SystemLock<State>

    fileprivate struct State {
        var counters = NetCounters()
        var open: [ObjectIdentifier: any ManagedConnection] = [:]
        var incoming: [PeerId: any ManagedConnection] = [:]
        var places: ConnectionPlaces<ObjectIdentifier>

        mutating func count(_ news: SharePot.News) {
            switch news {
            case .short: counters.sharesRefused += 1
            case .overShare: counters.sharesExceeded += 1
            case .evicted: counters.evicted += 1
            }
        }
    }

    /// Makes the first certificate and what TLS needs.
    ///
    /// - Parameters:
    ///   - eventLoop: the loop that runs the connections; it stays the caller's to shut down.
    ///   - identity: who we are.
    ///   - limits: what peers are granted.
    ///   - unixTime: the time in seconds since 1970, for certificates; `nil` is the machine's.
    ///   - onEvent: is told what an operator should know, as often as it happens.
    /// - Throws: ``HostCertificateError`` or ``TLSError`` when OpenSSL cannot be set up.
    public convenience init(
        eventLoop: EventLoop, identity: LocalIdentity, limits: NetLimits = NetLimits(),
        unixTime: (@Sendable () -> Int64)? = nil, onEvent: @escaping @Sendable (NetEvent) -> Void = { _ in }
    ) throws {
        let unixTime = unixTime ?? { Int64(time(nil)) }
        let make: @Sendable (Int64) throws -> HostCertificate = { now in
            try HostCertificate(peerKey: identity.peer, now: now)
        }
        try self.init(
            eventLoop: eventLoop, identity: identity, limits: limits, unixTime: unixTime,
            certificate: try make(unixTime()), renew: make, onEvent: onEvent)
    }

    /// An endpoint with a certificate of the caller's, which it keeps unless it is told how to make another.
    package init(
        eventLoop: EventLoop, identity: LocalIdentity, limits: NetLimits, unixTime: @escaping @Sendable () -> Int64,
        certificate: HostCertificate, renew: (@Sendable (Int64) throws -> HostCertificate)? = nil,
        onEvent: @escaping @Sendable (NetEvent) -> Void = { _ in }
    ) throws(TLSError) {
        self.eventLoop = eventLoop
        self.identity = identity
        let limits = limits.fitted(toDescriptors: Descriptors.available)
        self.limits = limits
        self.unixTime = unixTime
        self.onEvent = onEvent
        let state = SystemLock(State(places: ConnectionPlaces(limits.places)))
        self.state = state
        pot = SharePot(limits.shares, on: eventLoop) { news in
            state.withLock { $0.count(news) }
            if news != .overShare { onEvent(.memoryShort(limit: limits.heldBytes)) }
        }
        unproven = Unproven(limits, onEvent: onEvent)
        certificates = try CertificateKeeper(
            certificate, now: { eventLoop.now() }, unixTime: unixTime, renew: renew)
    }

    /// The certificate that connections present which begin now. It is made anew daily, and when the machine's clock
    /// was set; connections under way keep theirs.
    public var certificate: HostCertificate { certificates.current.certificate }

    var tls: TLSContext { certificates.current.tls }

    /// What has happened so far.
    public var counters: NetCounters {
        state.withLock { $0.counters }
    }

    /// The connections open now, in no order.
    public var connections: [any Connection] {
        state.withLock { Array($0.open.values) }
    }

    /// Closes every open connection. Listeners go on.
    public func closeConnections(_ reason: CloseReason = .shutDown) {
        for connection in state.withLock({ Array($0.open.values) }) {
            connection.requestClose(reason, detail: "")
        }
    }

    package func count(_ change: (inout NetCounters) -> Void) {
        state.withLock { change(&$0.counters) }
    }

    /// Begins to count what is held for an incoming connection; to be closed with it. On the loop.
    package func open(_ account: PublicKey, _ address: AddressGroup?) -> Holding {
        pot.open(account: account, address: address ?? .unknown)
    }

    /// Tells the host what an operator should know.
    package func report(_ event: NetEvent) {
        onEvent(event)
    }

    /// Tells the host why a handshake came to nothing, if that is a matter of the credentials and not of the path.
    package func reportRefusal(_ error: TransportError, isIncoming: Bool) {
        guard case .handshake(let failure) = error else { return }
        switch failure.reason {
        case .connectionEnded, .deadlineExceeded: return
        default: onEvent(.handshakeRefused(failure, isIncoming: isIncoming))
        }
    }

    /// Takes in a connection whose handshakes succeeded. On the loop.
    ///
    /// The newest incoming connection of a peer wins (protocol.md §5): an older one is closed here. Past a limit the one of
    /// least use makes room.
    ///
    /// - Returns: `false` when there is no place for it; the caller closes it then.
    package func register(_ connection: any ManagedConnection) -> Bool {
        let outcome = state.withLock { $0.register(connection, limits) }
        guard let outcome else { return false }
        outcome.older?.requestClose(.replaced, detail: "the peer has connected anew")
        for (other, bound) in outcome.crowdedOut {
            other.requestClose(.crowdedOut, detail: "it was idle, and made room for another connection")
            switch bound {
            case .all: onEvent(.connectionsFull(limit: limits.connections))
            case .account: onEvent(.accountFull(limit: limits.connectionsPerAccount))
            case .address(let address): onEvent(.addressFull("\(address)", limit: limits.connectionsPerAddress))
            }
        }
        return true
    }

    /// Whether a connection with this descriptor can be afforded. The system hands out the lowest free ones: when they come
    /// near the limit, connections of least use go, so that the store and everything else can go on.
    package func canAfford(descriptor: Int32) -> Bool {
        guard descriptor >= descriptorLimit - Self.lastDescriptors else { return true }
        onEvent(.descriptorsShort(limit: descriptorLimit))
        if !unproven.dropOne() {
            let idle = state.withLock { $0.leastUseful() }
            idle?.requestClose(.crowdedOut, detail: "the process has hardly any descriptors left")
        }
        return descriptor < descriptorLimit - Self.lastDescriptors / 2
    }

    private static let lastDescriptors = 8

    /// Forgets a connection that has ended.
    package func unregister(_ connection: any ManagedConnection, _ reason: CloseReason) {
        state.withLock { state in
            guard state.open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
            state.places.leave(ObjectIdentifier(connection))
            state.counters.closed[reason, default: 0] += 1
            guard connection.isIncoming else {
                state.counters.openOutgoing -= 1
                return
            }
            state.counters.openIncoming -= 1
            if state.incoming[connection.remotePeerId] === connection {
                state.incoming[connection.remotePeerId] = nil
            }
        }
    }
}

/// A connection as its ``Endpoint`` sees it.
package protocol ManagedConnection: Connection {
    /// Whether the peer dialled us.
    var isIncoming: Bool { get }
    /// When something other than pings last came or went. On the loop.
    var lastUse: MonotonicTime { get }
    /// What is held for it; `nil` for one that we dialled. For the loop's thread.
    var holding: Holding? { get }
    /// Where the peer is, for limits; `nil` when that is not known.
    var addressGroup: AddressGroup? { get }

    /// Closes the connection soon; from any thread.
    func requestClose(_ reason: CloseReason, detail: String)
}

extension Endpoint.State {
    /// What came of a newcomer.
    fileprivate struct Registered {
        var older: (any ManagedConnection)?
        var crowdedOut: [(any ManagedConnection, ConnectionPlaces<ObjectIdentifier>.Bound)] = []
    }

    fileprivate mutating func register(_ connection: any ManagedConnection, _ limits: NetLimits) -> Registered? {
        let id = ObjectIdentifier(connection)
        guard connection.isIncoming else {
            guard open.count < limits.connections else { return nil }
            open[id] = connection
            counters.openOutgoing += 1
            counters.establishedOutgoing[connection.kind, default: 0] += 1
            return Registered()
        }
        var registered = Registered(older: incoming[connection.remotePeerId])
        if let older = registered.older { places.leave(ObjectIdentifier(older)) }
        let open = open
        let replaced = places.admit(
            id, account: connection.remoteIdentity, address: connection.addressGroup ?? .unknown,
            others: counters.openOutgoing, lastUse: { open[$0]?.lastUse ?? .zero })
        guard let replaced else { return nil }
        for (id, bound) in replaced {
            if let other = open[id] { registered.crowdedOut.append((other, bound)) }
        }
        counters.crowdedOut += UInt64(replaced.count)
        self.open[id] = connection
        incoming[connection.remotePeerId] = connection
        counters.openIncoming += 1
        counters.establishedIncoming[connection.kind, default: 0] += 1
        return registered
    }

    fileprivate mutating func leastUseful() -> (any ManagedConnection)? {
        let open = open
        guard let id = places.leastUseful(lastUse: { open[$0]?.lastUse ?? .zero }) else { return nil }
        places.leave(id)
        counters.crowdedOut += 1
        return open[id]
    }
}
