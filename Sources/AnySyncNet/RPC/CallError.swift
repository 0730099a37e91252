public import AnySyncWire

/// Why a call has no response.
public enum CallError: Error, Hashable, Sendable {
    /// The server answered with an error; the call was carried out as far as that says.
    case rpc(RPCError)
    /// The connection or the stream failed. Whether the server carried the call out is unknown.
    case transport(TransportError)
    /// The server broke the RPC protocol.
    case malformed(DRPCError)
    /// The server refused the stream, in the handshake that opens it.
    case streamRefused(ProtoHandshakeFailure)
    /// The time given for the call has passed.
    case deadlineExceeded
    /// The request is larger than the limit, in bytes.
    case requestTooLarge(limit: Int, found: Int)
    /// The calling task was cancelled.
    case cancelled
}
