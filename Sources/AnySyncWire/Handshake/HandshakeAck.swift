public import ProtoWire

/// Ends a handshake, well or not (protocol.md §6).
public struct HandshakeAck: Hashable, Sendable {
    /// What the sender of an ack has to say; numbers without a name are kept.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// All is well.
        public static let null = Code(rawValue: 0)
        /// The message was none, or too large.
        public static let unexpected = Code(rawValue: 1)
        /// The identity or its signature is wrong.
        public static let invalidCredentials = Code(rawValue: 2)
        /// Another message was due.
        public static let unexpectedPayload = Code(rawValue: 3)
        /// The sender must prove its identity.
        public static let skipVerifyNotAllowed = Code(rawValue: 4)
        /// The handshake took too long.
        public static let deadlineExceeded = Code(rawValue: 5)
        /// The protocol version is not accepted.
        public static let incompatibleVersion = Code(rawValue: 6)
        /// The stream's protocol is not spoken.
        public static let incompatibleProto = Code(rawValue: 7)

        public var description: String {
            switch self {
            case .null: "no error"
            case .unexpected: "unexpected message (1)"
            case .invalidCredentials: "invalid credentials (2)"
            case .unexpectedPayload: "unexpected payload (3)"
            case .skipVerifyNotAllowed: "signed credentials required (4)"
            case .deadlineExceeded: "deadline exceeded (5)"
            case .incompatibleVersion: "incompatible version (6)"
            case .incompatibleProto: "incompatible protocol (7)"
            default: "error \(rawValue)"
            }
        }
    }

    /// What the sender has to say.
    public var code: Code

    /// - Parameter code: what the sender has to say.
    public init(_ code: Code) {
        self.code = code
    }

    /// Reads the message.
    public init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        code = .null
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: code = Code(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }
    }

    /// The message's bytes.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int32(1, code.rawValue)
        return writer.bytes
    }

    /// The whole frame.
    public var frame: [UInt8] {
        HandshakeFrame.encode(.ack, encoded)
    }
}
