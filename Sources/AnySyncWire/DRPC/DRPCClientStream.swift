/// How a call ended.
public enum DRPCOutcome: Hashable, Sendable {
    /// With this answer.
    case message([UInt8])
    /// With an error of the other side.
    case failure(RPCError)
}

/// The caller's side of one transport stream: unary calls, one at a time (protocol.md §7).
///
/// The owner writes what ``start(_:request:)`` returns and passes in what arrives. A call that is given up is given up
/// by closing the transport stream: nothing may be sent for it.
public struct DRPCClientStream: Sendable {
    private let encoding: MessageEncoding
    private let limits: DRPCLimits
    private var reader: DRPCPacketReader
    private var stream: UInt64 = 0

    /// Whether a call waits for its answer.
    public private(set) var isBusy = false

    /// Whether the transport stream has ended or the other side has broken the protocol: close it, it takes no more
    /// calls.
    public private(set) var isOver = false

    /// The caller's side at the stream's start.
    ///
    /// - Parameters:
    ///   - encoding: what the proto handshake agreed on.
    ///   - limits: the bounds of what the other side may send.
    public init(encoding: MessageEncoding, limits: DRPCLimits = DRPCLimits()) {
        self.encoding = encoding
        self.limits = limits
        reader = DRPCPacketReader(limits: limits, encoding: encoding)
    }

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - rpc: the rpc's name, such as `/pushproto.Push/Notify`.
    ///   - request: the request message.
    /// - Returns: what to write: invoke, message and close-send.
    /// - Throws: ``DRPCStartError``.
    public mutating func start(_ rpc: String, request: [UInt8]) throws(DRPCStartError) -> [UInt8] {
        guard !isOver else { throw .streamOver }
        guard !isBusy else { throw .callInProgress }
        isBusy = true
        stream += 1
        let body = encoding.encode(request)
        var output: [UInt8] = []
        output.reserveCapacity(
            DRPCPacket.maximumSize(ofBody: rpc.utf8.count) + DRPCPacket.maximumSize(ofBody: body.count)
                + DRPCFrameHeader.maximumSize)
        DRPCPacket.append(.invoke, stream: stream, message: 1, body: rpc.utf8, to: &output)
        DRPCPacket.append(.message, stream: stream, message: 2, body: body, to: &output)
        DRPCPacket.append(.closeSend, stream: stream, message: 3, body: EmptyCollection(), to: &output)
        return output
    }

    /// Looks at what arrived.
    ///
    /// - Parameter bytes: what arrived, of any length.
    /// - Returns: how the call in progress ended, if it did. The next may be started unless ``isOver``: an answer
    ///   counts even when what follows it breaks the protocol.
    /// - Throws: ``DRPCError``; the transport stream is to be closed, and the call in progress has failed.
    public mutating func receive(_ bytes: ArraySlice<UInt8>) throws(DRPCError) -> DRPCOutcome? {
        guard !isOver else { return nil }
        var input = bytes
        var outcome: DRPCOutcome?
        do {
            while let packet = try reader.next(&input) {
                if let ended = try handle(packet) { outcome = ended }
            }
        } catch {
            isOver = true
            isBusy = false
            guard outcome != nil else { throw error }
        }
        return outcome
    }

    /// The transport stream ended.
    ///
    /// - Returns: whether a call was in progress; it has failed.
    public mutating func transportEnded() -> Bool {
        let failed = isBusy
        isOver = true
        isBusy = false
        return failed
    }

    private mutating func handle(_ packet: DRPCPacket) throws(DRPCError) -> DRPCOutcome? {
        guard packet.stream <= stream else { throw .answerWithoutCall(stream: packet.stream) }
        // What follows an answer, and what is left of calls before, is of no interest.
        let isAwaited = packet.stream == stream && isBusy
        let outcome: DRPCOutcome
        switch packet.kind {
        case .message:
            guard isAwaited else { return nil }
            do {
                outcome = .message(try encoding.decode(packet.body, limit: limits.maximumMessageSize))
            } catch {
                throw .undecodableAnswer(error)
            }
        case .error: outcome = .failure(RPCError(decoding: packet.body))
        case .close, .closeSend, .cancel: outcome = .failure(.endOfCall)
        case .invoke, .invokeMetadata: throw .answerWithoutCall(stream: packet.stream)
        default:
            guard packet.isControl else { throw .unknownKind(packet.kind) }
            return nil
        }
        guard isAwaited else { return nil }
        isBusy = false
        return outcome
    }
}
