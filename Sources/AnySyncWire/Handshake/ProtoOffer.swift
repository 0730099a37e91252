public import ProtoWire

/// How the messages of a stream are encoded (protocol.md §6).
public enum MessageEncoding: Int32, Hashable, Sendable, CaseIterable {
    /// As they are.
    case none = 0
    /// Each message body in snappy's block format.
    case snappy = 1
}

/// What the opener of a stream wants to speak on it, and the answer (protocol.md §6).
public struct ProtoOffer: Hashable, Sendable {
    /// The number of DRPC, the only protocol there is.
    public static let drpc: Int32 = 0

    /// The protocol.
    public var proto: Int32
    /// Encodings in the sender's order of preference; numbers we do not know are kept.
    public var encodings: [Int32]

    /// - Parameters:
    ///   - proto: the protocol.
    ///   - encodings: in the order of preference.
    public init(proto: Int32 = Self.drpc, encodings: [MessageEncoding]) {
        self.proto = proto
        self.encodings = encodings.map(\.rawValue)
    }

    /// Reads the message.
    public init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(proto: 0, encodings: [])
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: proto = try reader.int32()
            case 2: try reader.appendEnums(to: &encodings)
            default: try reader.skip()
            }
        }
    }

    /// The message's bytes.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int32(1, proto)
        writer.packedEnums(2, encodings)
        return writer.bytes
    }

    /// The whole frame.
    public var frame: [UInt8] {
        HandshakeFrame.encode(.proto, encoded)
    }
}
