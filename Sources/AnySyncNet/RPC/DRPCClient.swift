
/// Makes unary calls over one connection (protocol.md §7).
///
/// Streams are opened as needed, up to ``NetLimits/outgoingStreams``, and reused for one call after the other; further calls
/// wait for a free one. A call that is cancelled or passes its deadline closes its stream and leaves the others alone.
public actor DRPCClient {
    /// The connection the calls go over.
    public nonisolated let connection: any Connection

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        connection.eventLoop.asUnownedSerialExecutor()
    }

    /// A client over an established connection; the connection stays its caller's to close.
    public init(connection: any Connection, limits: RPCLimits = RPCLimits()) {
        self.connection = connection
    }

    /// Makes one call.
    ///
    /// - Parameters:
    ///   - rpc: the full name, such as `/pushproto.Push/Notify`.
    ///   - request: the request message.
    ///   - timeout: time for the whole call, waiting for a stream included.
    /// - Returns: the response message, decompressed.
    /// - Throws: ``CallError``.
    public func call(_ rpc: String, _ request: [UInt8], timeout: Duration) async throws(CallError) -> [UInt8] {
        throw .deadlineExceeded
    }

    /// Closes the streams and fails the calls in flight with ``TransportError/closed(_:detail:)``.
    public func close() async {}
}
