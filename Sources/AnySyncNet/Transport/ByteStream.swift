/// One ordered, reliable stream of bytes in both directions inside a ``Connection``.
///
/// At most one task reads and at most one writes at a time. All calls run on the connection's event loop, so a caller that
/// is isolated to the same loop pays no thread hop.
public protocol ByteStream: Sendable {
    /// Waits for bytes of the peer.
    ///
    /// Reading is what gives the peer room to send more: bytes that nobody reads stop it after one receive window.
    ///
    /// - Returns: what has arrived, never empty; `nil` once the peer has finished writing and everything was read.
    /// - Throws: ``TransportError/streamReset``, ``TransportError/closed(_:detail:)``, ``TransportError/cancelled``.
    func read() async throws(TransportError) -> [UInt8]?

    /// Sends bytes; returns when the connection has taken them all, which is when the peer's window and the connection's
    /// output queue had room.
    ///
    /// - Throws: ``TransportError/streamReset``, ``TransportError/closed(_:detail:)``, ``TransportError/cancelled``; after a
    ///   cancelled write the stream is reset, since a part may have been sent.
    func write(_ bytes: [UInt8]) async throws(TransportError)

    /// Says that nothing more will be written. Reading goes on. Does nothing on a stream that has ended.
    func closeWrite() async

    /// Ends the stream at once in both directions; what waits in ``read()`` or ``write(_:)`` fails. Does nothing on a stream
    /// that has ended.
    func reset() async

    /// Ends the stream in the ordinary way: writes no more and gives up reading; what the peer still sends is dropped.
    ///
    /// From any thread, and it does not wait, so that timers and cancellation handlers may call it. What waits in ``read()``
    /// or ``write(_:)`` fails with ``TransportError/streamReset``. Does nothing on a stream that has ended.
    func close()

    /// Whether both directions are open: neither side has finished, reset or lost its connection.
    var isOpen: Bool { get async }
}
