/// One frame of either handshake: type (1 byte), body size (4 bytes, little-endian), body (protocol.md §6).
public struct HandshakeFrame: Hashable, Sendable {
    /// What the body is.
    public enum Kind: UInt8, Hashable, Sendable {
        /// ``Credentials``.
        case credentials = 1
        /// ``HandshakeAck``.
        case ack = 2
        /// ``ProtoOffer``.
        case proto = 3
    }

    /// Bytes before the body.
    public static let headerSize = 5

    /// The largest body: 200 KiB (protocol.md §6).
    public static let maximumBodySize = 204_800

    /// What the body is.
    public let kind: Kind
    /// The protobuf message.
    public let body: ArraySlice<UInt8>

    /// The whole frame as it is sent.
    ///
    /// - Parameters:
    ///   - kind: what the body is.
    ///   - body: at most ``maximumBodySize`` bytes.
    public static func encode(_ kind: Kind, _ body: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(headerSize + body.count)
        frame.append(kind.rawValue)
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: body.count).littleEndian) { frame.append(contentsOf: $0) }
        frame.append(contentsOf: body)
        return frame
    }
}

/// Why bytes are no handshake frame that may come now.
public enum HandshakeFrameError: Error, Hashable, Sendable {
    /// The frame's type is not one that may come now.
    case unexpectedType(UInt8)
    /// The declared body is larger than ``HandshakeFrame/maximumBodySize``, in bytes.
    case tooLarge(declared: UInt32)
}
