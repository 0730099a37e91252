/// What a DRPC packet is (protocol.md §7); numbers without a name are kept.
public struct DRPCKind: RawRepresentable, Hashable, Sendable {
    /// Six bits.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Starts a call; the body is the rpc's name.
    public static let invoke = DRPCKind(rawValue: 1)
    /// A request or an answer.
    public static let message = DRPCKind(rawValue: 2)
    /// The call failed; the body is an ``RPCError``.
    public static let error = DRPCKind(rawValue: 3)
    /// The call is abandoned.
    public static let cancel = DRPCKind(rawValue: 4)
    /// The call is over, both ways.
    public static let close = DRPCKind(rawValue: 5)
    /// The sender has no more messages for the call.
    public static let closeSend = DRPCKind(rawValue: 6)
    /// Key-value pairs in front of an invoke.
    public static let invokeMetadata = DRPCKind(rawValue: 7)
}

/// The start of a DRPC frame: a control byte, then stream id, message id and length as LEB128 varints (protocol.md §7).
public struct DRPCFrameHeader: Hashable, Sendable {
    /// The most bytes a header takes.
    public static let maximumSize = 1 + 3 * 10

    /// What the packet is.
    public var kind: DRPCKind
    /// Whether a receiver that does not know the kind may ignore the packet.
    public var isControl: Bool
    /// Whether this is the packet's last frame.
    public var isDone: Bool
    /// The call; from 1.
    public var stream: UInt64
    /// The packet within the call; from 1.
    public var message: UInt64
    /// Bytes of the body that follow.
    public var length: UInt64

    /// - Parameters:
    ///   - kind: what the packet is.
    ///   - isControl: whether a receiver that does not know the kind may ignore it.
    ///   - isDone: whether this is the packet's last frame.
    ///   - stream: the call.
    ///   - message: the packet within the call.
    ///   - length: bytes of the body that follow.
    public init(
        _ kind: DRPCKind, isControl: Bool = false, isDone: Bool = true, stream: UInt64, message: UInt64,
        length: UInt64
    ) {
        self.kind = kind
        self.isControl = isControl
        self.isDone = isDone
        self.stream = stream
        self.message = message
        self.length = length
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: its start, maybe followed by more.
    /// - Returns: the header and how many bytes it took; `nil` when `bytes` end before it does.
    /// - Throws: ``DRPCError/varintTooLong``.
    public static func decode(
        _ bytes: ArraySlice<UInt8>
    ) throws(DRPCError) -> (header: DRPCFrameHeader, size: Int)? {
        guard let control = bytes.first else { return nil }
        var index = bytes.startIndex + 1
        guard let stream = try varint(bytes, &index), let message = try varint(bytes, &index),
            let length = try varint(bytes, &index)
        else { return nil }
        let header = DRPCFrameHeader(
            DRPCKind(rawValue: control >> 1 & 0x3f), isControl: control & 0x80 != 0, isDone: control & 0x01 != 0,
            stream: stream, message: message, length: length)
        return (header, index - bytes.startIndex)
    }

    /// Appends the header's bytes.
    public func encode(to output: inout [UInt8]) {
        output.append((isControl ? 0x80 : 0) | (kind.rawValue & 0x3f) << 1 | (isDone ? 0x01 : 0))
        Self.append(stream, to: &output)
        Self.append(message, to: &output)
        Self.append(length, to: &output)
    }

    private static func varint(_ bytes: ArraySlice<UInt8>, _ index: inout Int) throws(DRPCError) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
            guard shift < 70 else { throw .varintTooLong }
        }
        return nil
    }

    private static func append(_ value: UInt64, to output: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }
}
