public import PushCrypto

/// A way to reach peers and be reached by them.
///
/// What is above this protocol never learns which transport it runs on, apart from ``Connection/kind``.
public protocol Transport: Sendable {
    /// The kinds of address this transport can dial and listen on.
    var kinds: Set<ConnectionKind> { get }

    /// Connects, authenticates the peer and runs the credential handshake.
    ///
    /// - Parameters:
    ///   - address: where the peer listens, of one of ``kinds``.
    ///   - peer: who must be there; anyone else is refused.
    ///   - turn: to be begun between the two handshakes; says the protocol version to speak (protocol.md §6).
    /// - Throws: ``TransportError``; ``TransportError/wrongPeer(expected:found:)`` when somebody else answers. A dial
    ///   that is cancelled throws soon, and leaves nothing.
    func dial(_ address: Address, peer: PeerId, turn: DialTurn) async throws(TransportError) -> any Connection

    /// Listens for peers.
    ///
    /// - Parameter address: what to bind; port 0 takes a free port, see ``Listener/addresses``.
    /// - Throws: ``TransportError/cannotListen(address:reason:)``.
    func listen(on address: Address) async throws(TransportError) -> any Listener
}

/// A listening socket that hands out authenticated connections.
public protocol Listener: AnyObject, Sendable {
    /// What it is bound to, with the real port.
    var addresses: [Address] { get }

    /// Waits for the next connection whose handshakes have succeeded.
    ///
    /// - Returns: the connection, or `nil` once the listener is closed or the waiting task cancelled.
    func nextConnection() async -> (any Connection)?

    /// Stops listening and drops unfinished handshakes. Established connections go on.
    func close() async
}
