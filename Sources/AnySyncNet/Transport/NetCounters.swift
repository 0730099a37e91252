/// What an ``Endpoint``'s transports have done since it was made.
public struct NetCounters: Hashable, Sendable {
    /// Sockets accepted, before any handshake.
    public package(set) var accepted: UInt64 = 0
    /// Dials begun.
    public package(set) var dialed: UInt64 = 0
    /// Incoming connections whose handshakes succeeded, by kind.
    public package(set) var establishedIncoming: [ConnectionKind: UInt64] = [:]
    /// Outgoing connections whose handshakes succeeded, by kind.
    public package(set) var establishedOutgoing: [ConnectionKind: UInt64] = [:]
    /// Incoming sockets that ended before they were connections, by reason.
    public package(set) var refused: [CloseReason: UInt64] = [:]
    /// Connections that have ended, by reason.
    public package(set) var closed: [CloseReason: UInt64] = [:]
    /// Incoming sockets whose handshakes are going on.
    public package(set) var unfinishedHandshakes = 0
    /// Connections open now, incoming.
    public package(set) var openIncoming = 0
    /// Connections open now, outgoing.
    public package(set) var openOutgoing = 0

    init() {}
}
