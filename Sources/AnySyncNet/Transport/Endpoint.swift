internal import AnySyncWire
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
    private let state: SystemLock<State>

    private struct State {
        var counters = NetCounters()
        var open: [ObjectIdentifier: any ManagedConnection] = [:]
        var incoming: [PeerId: any ManagedConnection] = [:]

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
    /// - Throws: ``HostCertificateError`` or ``TLSError`` when OpenSSL cannot be set up.
    public convenience init(
        eventLoop: EventLoop, identity: LocalIdentity, limits: NetLimits = NetLimits(),
        unixTime: (@Sendable () -> Int64)? = nil
    ) throws {
        let unixTime = unixTime ?? { Int64(time(nil)) }
        let make: @Sendable (Int64) throws -> HostCertificate = { now in
            try HostCertificate(peerKey: identity.peer, now: now)
        }
        try self.init(
            eventLoop: eventLoop, identity: identity, limits: limits, unixTime: unixTime,
            certificate: try make(unixTime()), renew: make)
    }

    /// An endpoint with a certificate of the caller's, which it keeps unless it is told how to make another.
    package init(
        eventLoop: EventLoop, identity: LocalIdentity, limits: NetLimits, unixTime: @escaping @Sendable () -> Int64,
        certificate: HostCertificate, renew: (@Sendable (Int64) throws -> HostCertificate)? = nil
    ) throws(TLSError) {
        self.eventLoop = eventLoop
        self.identity = identity
        self.limits = limits
        self.unixTime = unixTime
        let state = SystemLock(State())
        self.state = state
        pot = SharePot(limits.shares, on: eventLoop) { news in state.withLock { $0.count(news) } }
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

    /// Takes in a connection whose handshakes succeeded.
    ///
    /// The newest incoming connection of a peer wins (protocol.md §5): an older one is closed here.
    ///
    /// - Returns: `false` when there are too many connections; the caller closes it then.
    package func register(_ connection: any ManagedConnection) -> Bool {
        let peer = connection.remotePeerId
        let (isTaken, older) = state.withLock { state -> (Bool, (any ManagedConnection)?) in
            let older = connection.isIncoming ? state.incoming[peer] : nil
            guard state.open.count < limits.connections || older != nil else { return (false, nil) }
            state.open[ObjectIdentifier(connection)] = connection
            if connection.isIncoming {
                state.incoming[peer] = connection
                state.counters.openIncoming += 1
                state.counters.establishedIncoming[connection.kind, default: 0] += 1
            } else {
                state.counters.openOutgoing += 1
                state.counters.establishedOutgoing[connection.kind, default: 0] += 1
            }
            return (true, older)
        }
        older?.requestClose(.replaced, detail: "the peer has connected anew")
        return isTaken
    }

    /// Forgets a connection that has ended.
    package func unregister(_ connection: any ManagedConnection, _ reason: CloseReason) {
        state.withLock { state in
            guard state.open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
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
    /// What is held for it; `nil` for one that we dialled. For the loop's thread.
    var holding: Holding? { get }
    /// Where the peer is, for limits; `nil` when that is not known.
    var addressGroup: AddressGroup? { get }

    /// Closes the connection soon; from any thread.
    func requestClose(_ reason: CloseReason, detail: String)
}
