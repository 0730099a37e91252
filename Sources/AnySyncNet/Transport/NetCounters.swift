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

    /// Askings for bytes that were refused because whoever asked had its share.
    public internal(set) var sharesExceeded: UInt64 = 0
    /// Askings for bytes that were refused because memory for peers was short and nobody held more.
    public internal(set) var sharesRefused: UInt64 = 0
    /// Connections that had to go because they held the most when memory for peers was short.
    public internal(set) var evicted: UInt64 = 0

    /// Connections that made room for newer ones.
    public internal(set) var crowdedOut: UInt64 = 0

    /// Datagrams that were dropped because a connection had sent too many of no use; counted when it ends.
    public package(set) var droppedDatagrams: UInt64 = 0

    init() {}
}
