/// One whole DRPC packet.
public struct DRPCPacket: Hashable, Sendable {
    /// The longest frame body that we write; a longer packet takes several frames (protocol.md §7).
    public static let maximumFrameLength = 65_536

    /// What the packet is.
    public let kind: DRPCKind
    /// Whether a receiver that does not know the kind may ignore it.
    public let isControl: Bool
    /// The call.
    public let stream: UInt64
    /// The packet within the call.
    public let message: UInt64
    /// The body; a part of the input when it came in one piece.
    public let body: ArraySlice<UInt8>

    /// Appends a packet, in as many frames as it takes.
    ///
    /// - Parameters:
    ///   - kind: what the packet is.
    ///   - stream: the call.
    ///   - message: the packet within the call.
    ///   - body: its body.
    ///   - output: where to.
    static func append(
        _ kind: DRPCKind, stream: UInt64, message: UInt64, body: some Collection<UInt8>, to output: inout [UInt8]
    ) {
        var rest = body[...]
        var left = body.count
        repeat {
            let count = min(left, maximumFrameLength)
            left -= count
            let header = DRPCFrameHeader(
                kind, isDone: left == 0, stream: stream, message: message, length: UInt64(count))
            header.encode(to: &output)
            output.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
        } while left > 0
    }

    /// Bytes enough for a packet with a body of `count` bytes.
    static func maximumSize(ofBody count: Int) -> Int {
        count + (count / maximumFrameLength + 1) * DRPCFrameHeader.maximumSize
    }
}
