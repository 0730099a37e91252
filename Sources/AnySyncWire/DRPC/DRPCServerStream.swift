/// A call that a client has made.
public struct DRPCCall: Hashable, Sendable {
    /// Names the call on its transport stream.
    public let id: UInt64
    /// The rpc's name.
    public let rpc: String
    /// The request message.
    public let request: [UInt8]

    /// - Parameters:
    ///   - id: names the call on its transport stream.
    ///   - rpc: the rpc's name.
    ///   - request: the request message.
    public init(id: UInt64, rpc: String, request: [UInt8]) {
        self.id = id
        self.rpc = rpc
        self.request = request
    }
}

/// What a client did.
public enum DRPCServerEvent: Hashable, Sendable {
    /// It made a call; answer with ``DRPCServerStream/reply(to:with:)`` or ``DRPCServerStream/fail(_:with:)``.
    case call(DRPCCall)
    /// It gave up the call with this id, or made another one.
    case cancelled(UInt64)
    /// It made a call that failed before it was one; write these bytes.
    case write([UInt8])
}

/// The called side of one transport stream: unary calls, one at a time (protocol.md §7).
public struct DRPCServerStream: Sendable {
    private enum State: Sendable {
        /// No call is open.
        case idle
        /// Invoked, waiting for the request message.
        case invoked(rpc: String)
        /// The request is with a handler.
        case running
    }

    private let encoding: MessageEncoding
    private let limits: DRPCLimits
    private var reader: DRPCPacketReader
    /// The latest call invoked; 0 before the first.
    private var stream: UInt64 = 0
    private var state = State.idle
    private var isOver = false

    /// The called side at the stream's start.
    ///
    /// - Parameters:
    ///   - encoding: what the proto handshake agreed on.
    ///   - limits: the bounds of what the client may send.
    public init(encoding: MessageEncoding, limits: DRPCLimits = DRPCLimits()) {
        self.encoding = encoding
        self.limits = limits
        reader = DRPCPacketReader(limits: limits, encoding: encoding)
    }

    /// Bytes that are kept of what has not arrived in full.
    public var pendingByteCount: Int {
        if case .invoked(let rpc) = state { return reader.pendingByteCount + rpc.utf8.count }
        return reader.pendingByteCount
    }

    /// Whether something has begun that the client has not ended: a packet, or a call whose request has not come.
    public var isIncomplete: Bool {
        if case .invoked = state { return true }
        return reader.isInsidePacket
    }

    /// Looks at what arrived.
    ///
    /// - Parameters:
    ///   - bytes: what arrived, of any length.
    ///   - events: what the client did is appended here, also when an error is thrown after it.
    /// - Throws: ``DRPCError``; the transport stream is to be closed, and a running call's answer is of no interest.
    public mutating func receive(
        _ bytes: ArraySlice<UInt8>, into events: inout [DRPCServerEvent]
    ) throws(DRPCError) {
        guard !isOver else { return }
        do {
            var input = bytes
            while let packet = try reader.next(&input) {
                try handle(packet, into: &events)
            }
        } catch {
            transportEnded(into: &events)
            throw error
        }
    }

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - call: the call's id.
    ///   - message: the answer.
    /// - Returns: what to write, message and close-send; nothing when the call was given up.
    public mutating func reply(to call: UInt64, with message: [UInt8]) -> [UInt8] {
        guard finish(call) else { return [] }
        let body = encoding.encode(message)
        var output: [UInt8] = []
        output.reserveCapacity(DRPCPacket.maximumSize(ofBody: body.count) + DRPCFrameHeader.maximumSize)
        DRPCPacket.append(.message, stream: call, message: 1, body: body, to: &output)
        DRPCPacket.append(.closeSend, stream: call, message: 2, body: EmptyCollection(), to: &output)
        return output
    }

    /// Answers a call with an error. The transport stream can be used again.
    ///
    /// - Parameters:
    ///   - call: the call's id.
    ///   - error: the answer.
    /// - Returns: what to write; nothing when the call was given up.
    public mutating func fail(_ call: UInt64, with error: RPCError) -> [UInt8] {
        guard finish(call) else { return [] }
        return errorPacket(error)
    }

    /// The transport stream ended, or is about to: the running call, if any, is cancelled.
    public mutating func transportEnded(into events: inout [DRPCServerEvent]) {
        cancelCurrent(into: &events)
        isOver = true
    }

    private mutating func handle(
        _ packet: DRPCPacket, into events: inout [DRPCServerEvent]
    ) throws(DRPCError) {
        switch packet.kind {
        case .invoke: try invoke(packet, into: &events)
        case .message: try receiveMessage(packet, into: &events)
        case .closeSend:
            guard packet.stream == stream, case .invoked = state else { return }
            failCurrent(.endOfCall, into: &events)
        case .cancel, .close, .error:
            guard packet.stream == stream else { return }
            cancelCurrent(into: &events)
        case .invokeMetadata: return
        default:
            guard packet.isControl else { throw .unknownKind(packet.kind) }
        }
    }

    private mutating func invoke(
        _ packet: DRPCPacket, into events: inout [DRPCServerEvent]
    ) throws(DRPCError) {
        if packet.stream == stream {
            if case .idle = state { return }
            throw .invokedTwice(stream: stream)
        }
        cancelCurrent(into: &events)
        stream = packet.stream
        state = .invoked(rpc: String(decoding: packet.body, as: UTF8.self))
    }

    private mutating func receiveMessage(
        _ packet: DRPCPacket, into events: inout [DRPCServerEvent]
    ) throws(DRPCError) {
        guard packet.stream == stream else { throw .messageWithoutInvoke(stream: packet.stream) }
        // A unary call has one message; what follows it is of no interest.
        guard case .invoked(let rpc) = state else { return }
        do {
            let request = try encoding.decode(packet.body, limit: limits.maximumMessageSize)
            state = .running
            events.append(.call(DRPCCall(id: stream, rpc: rpc, request: request)))
        } catch {
            failCurrent(RPCError(code: 0, text: "\(error)"), into: &events)
        }
    }

    private mutating func failCurrent(_ error: RPCError, into events: inout [DRPCServerEvent]) {
        state = .idle
        events.append(.write(errorPacket(error)))
    }

    private mutating func cancelCurrent(into events: inout [DRPCServerEvent]) {
        if case .running = state {
            events.append(.cancelled(stream))
        }
        state = .idle
    }

    private mutating func finish(_ call: UInt64) -> Bool {
        guard !isOver, call == stream, case .running = state else { return false }
        state = .idle
        return true
    }

    private func errorPacket(_ error: RPCError) -> [UInt8] {
        let body = error.encoded
        var output: [UInt8] = []
        output.reserveCapacity(DRPCPacket.maximumSize(ofBody: body.count))
        DRPCPacket.append(.error, stream: stream, message: 1, body: body, to: &output)
        return output
    }
}
