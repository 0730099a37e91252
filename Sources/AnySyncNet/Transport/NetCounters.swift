/// What an ``Endpoint``'s transports have done since it was made.
public struct NetCounters: Hashable, Sendable {
    /// Sockets accepted, before any handshake.
    public internal(set) var accepted: UInt64 = 0
    /// Dials begun.
    public internal(set) var dialed: UInt64 = 0
    /// Incoming connections whose handshakes succeeded, by kind.
    public internal(set) var establishedIncoming: [ConnectionKind: UInt64] = [:]
    /// Outgoing connections whose handshakes succeeded, by kind.
    public internal(set) var establishedOutgoing: [ConnectionKind: UInt64] = [:]
    /// Incoming sockets that ended before they were connections, by reason.
    public internal(set) var refused: [CloseReason: UInt64] = [:]
    /// Connections that have ended, by reason.
    public internal(set) var closed: [CloseReason: UInt64] = [:]
    /// Incoming sockets whose handshakes are going on.
    public internal(set) var unfinishedHandshakes = 0
    /// Connections open now, incoming.
    public internal(set) var openIncoming = 0
    /// Connections open now, outgoing.
    public internal(set) var openOutgoing = 0

    init() {}
}
