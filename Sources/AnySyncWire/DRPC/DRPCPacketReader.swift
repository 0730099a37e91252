/// Puts DRPC packets together from a byte stream and checks the order of their ids (protocol.md §7).
public struct DRPCPacketReader: Sendable {
    private let limits: DRPCLimits
    private let encoding: MessageEncoding

    /// The start of a header whose rest has not arrived.
    private var partialHeader: [UInt8] = []
    /// The frame whose body is arriving, and how much of it is missing.
    private var frame: DRPCFrameHeader?
    private var missing = 0
    /// What has arrived of the packet, when it did not come in one piece.
    private var body: [UInt8] = []
    /// The packet that is being put together or was done last.
    private var last: (stream: UInt64, message: UInt64, kind: DRPCKind, isControl: Bool, isDone: Bool)?

    /// A reader before its first packet.
    ///
    /// - Parameters:
    ///   - limits: the bounds of each packet, checked on what frames declare.
    ///   - encoding: how messages are encoded; decides how large their bodies may be.
    public init(limits: DRPCLimits = DRPCLimits(), encoding: MessageEncoding = .none) {
        self.limits = limits
        self.encoding = encoding
    }

    /// Whether a packet has begun and not ended.
    public var isInsidePacket: Bool {
        frame != nil || !partialHeader.isEmpty || last?.isDone == false
    }

    /// Bytes that are kept of a packet that has not ended.
    public var pendingByteCount: Int {
        partialHeader.count + body.count
    }

    /// Takes what belongs to the next packet.
    ///
    /// - Parameter input: what has arrived; what is taken is removed from its front.
    /// - Returns: the packet; `nil` when the input ended before it did.
    /// - Throws: ``DRPCError``; the reader is of no use after that.
    public mutating func next(_ input: inout ArraySlice<UInt8>) throws(DRPCError) -> DRPCPacket? {
        while true {
            guard let frame = try currentFrame(&input) else { return nil }
            let piece = input.prefix(missing)
            input = input.dropFirst(piece.count)
            missing -= piece.count
            let isWhole = missing == 0 && frame.isDone && body.isEmpty
            if !isWhole {
                body.append(contentsOf: piece)
            }
            guard missing == 0 else { return nil }
            self.frame = nil
            guard frame.isDone else { continue }
            last?.isDone = true
            let bytes = isWhole ? piece : body[...]
            body = []
            return DRPCPacket(
                kind: frame.kind, isControl: last?.isControl ?? frame.isControl, stream: frame.stream,
                message: frame.message, body: bytes)
        }
    }

    /// The frame whose body comes next, its header read and checked.
    private mutating func currentFrame(_ input: inout ArraySlice<UInt8>) throws(DRPCError) -> DRPCFrameHeader? {
        if let frame { return frame }
        guard let header = try takeHeader(&input) else { return nil }
        try begin(header)
        let limit = limits.maximumBody(of: header.kind, encoding)
        guard header.length <= UInt64(limit - body.count) else {
            let (size, overflow) = header.length.addingReportingOverflow(UInt64(body.count))
            throw .packetTooLarge(kind: header.kind, size: overflow ? .max : size, limit: limit)
        }
        frame = header
        missing = Int(header.length)
        return header
    }

    private mutating func takeHeader(_ input: inout ArraySlice<UInt8>) throws(DRPCError) -> DRPCFrameHeader? {
        if partialHeader.isEmpty {
            guard let (header, size) = try DRPCFrameHeader.decode(input) else {
                partialHeader = Array(input)
                input = input.dropFirst(input.count)
                return nil
            }
            input = input.dropFirst(size)
            return header
        }
        let known = partialHeader.count
        partialHeader.append(contentsOf: input.prefix(DRPCFrameHeader.maximumSize - known))
        guard let (header, size) = try DRPCFrameHeader.decode(partialHeader[...]) else {
            input = input.dropFirst(input.count)
            return nil
        }
        input = input.dropFirst(size - known)
        partialHeader = []
        return header
    }

    /// Checks a frame's ids and kind against the packet before it.
    private mutating func begin(_ header: DRPCFrameHeader) throws(DRPCError) {
        let (stream, message) = (header.stream, header.message)
        guard stream > 0, message > 0 else { throw .zeroId(stream: stream, message: message) }
        if let last {
            guard (stream, message) >= (last.stream, last.message) else {
                throw .idsNotGrowing(stream: stream, message: message)
            }
            if (stream, message) == (last.stream, last.message) {
                guard !last.isDone else { throw .idsNotGrowing(stream: stream, message: message) }
                guard header.kind == last.kind else { throw .kindChanged(from: last.kind, to: header.kind) }
                self.last?.isControl = last.isControl || header.isControl
                return
            }
        }
        // A higher id drops a packet that was not finished.
        body = []
        last = (stream, message, header.kind, header.isControl, false)
    }
}
