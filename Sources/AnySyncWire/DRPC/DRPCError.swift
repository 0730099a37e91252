/// How a peer broke the DRPC protocol. The transport stream is to be closed; the connection's others go on.
public enum DRPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A varint is longer than 10 bytes.
    case varintTooLong
    /// A stream or message id is 0.
    case zeroId(stream: UInt64, message: UInt64)
    /// A frame's ids are not above those before it.
    case idsNotGrowing(stream: UInt64, message: UInt64)
    /// The frames of one packet have different kinds.
    case kindChanged(from: DRPCKind, to: DRPCKind)
    /// A packet's kind is not known and not marked as one to ignore.
    case unknownKind(DRPCKind)
    /// A packet's body is over its limit, in bytes.
    case packetTooLarge(kind: DRPCKind, size: UInt64, limit: Int)
    /// A call was invoked that is running.
    case invokedTwice(stream: UInt64)
    /// A message came for a call that was not invoked.
    case messageWithoutInvoke(stream: UInt64)
    /// A packet came for a call that was not made yet.
    case answerWithoutCall(stream: UInt64)
    /// An answer does not decode.
    case undecodableAnswer(MessageBodyError)

    public var description: String {
        switch self {
        case .varintTooLong: "drpc: expected a varint of at most 10 bytes, the peer sent a longer one"
        case .zeroId(let stream, let message):
            "drpc: ids start at 1, the peer sent stream \(stream), message \(message)"
        case .idsNotGrowing(let stream, let message):
            "drpc: ids must grow, the peer went back to stream \(stream), message \(message)"
        case .kindChanged(let from, let to):
            "drpc: a packet of kind \(from.rawValue) went on as kind \(to.rawValue)"
        case .unknownKind(let kind): "drpc: the peer sent a packet of unknown kind \(kind.rawValue)"
        case .packetTooLarge(let kind, let size, let limit):
            "drpc: a packet of kind \(kind.rawValue) may take \(limit) bytes, the peer sent \(size) or more"
        case .invokedTwice(let stream): "drpc: call \(stream) was invoked while it ran"
        case .messageWithoutInvoke(let stream): "drpc: a message came for call \(stream), which was not invoked"
        case .answerWithoutCall(let stream): "drpc: an answer came for call \(stream), which was not made"
        case .undecodableAnswer(let error): "drpc: the answer does not decode: \(error)"
        }
    }
}

/// Why a call cannot be started on a transport stream.
public enum DRPCStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One call at a time.
    case callInProgress
    /// The stream has ended or broken the protocol.
    case streamOver

    public var description: String {
        switch self {
        case .callInProgress: "drpc: a call is in progress on this stream; wait for it or use another stream"
        case .streamOver: "drpc: the stream is over; use another"
        }
    }
}
