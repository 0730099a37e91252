/// The 12-byte header in front of every yamux frame, big-endian (protocol.md §5).
public struct YamuxHeader: Hashable, Sendable {
    /// Bytes of a header on the wire.
    public static let size = 12

    /// The only version there is.
    public static let version: UInt8 = 0

    /// What a frame is; numbers without a name end the session.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Bytes of a stream; `length` counts them.
        public static let data = Kind(rawValue: 0)
        /// More room in the sender's receive window; `length` is how much.
        public static let windowUpdate = Kind(rawValue: 1)
        /// A question whether the peer is alive, or the answer; `length` is a value that the answer repeats.
        public static let ping = Kind(rawValue: 2)
        /// The sender takes no more streams; `length` is the reason.
        public static let goAway = Kind(rawValue: 3)
    }

    /// The state changes that ride on a frame.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Opens a stream, or asks for the answer to a ping.
        public static let syn = Flags(rawValue: 1)
        /// The listener took the stream, or answers a ping.
        public static let ack = Flags(rawValue: 2)
        /// The sender writes no more on the stream.
        public static let fin = Flags(rawValue: 4)
        /// The stream is gone at once, both ways.
        public static let rst = Flags(rawValue: 8)
    }

    /// The protocol version; only ``version`` is understood.
    public var version: UInt8
    /// What the frame is.
    public var kind: Kind
    /// What rides on it.
    public var flags: Flags
    /// The stream it is about; 0 for the session.
    public var stream: UInt32
    /// Bytes that follow, window delta, ping value or go-away code, by ``kind``.
    public var length: UInt32

    /// A header of the version in use.
    public init(_ kind: Kind, flags: Flags = [], stream: UInt32, length: UInt32) {
        self.version = Self.version
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.length = length
    }

    /// Reads a header; any 12 bytes are one.
    ///
    /// - Parameter bytes: at least ``size`` bytes, of which the first are read.
    /// - Returns: `nil` when there are fewer.
    public init?(decoding bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.size else { return nil }
        let (head, length) = bytes.withUnsafeBytes { raw in
            (
                UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
        self.version = UInt8(head >> 56)
        self.kind = Kind(rawValue: UInt8(truncatingIfNeeded: head >> 48))
        self.flags = Flags(rawValue: UInt16(truncatingIfNeeded: head >> 32))
        self.stream = UInt32(truncatingIfNeeded: head)
        self.length = length
    }

    /// Appends the header's 12 bytes.
    public func encode(to output: inout [UInt8]) {
        let head =
            UInt64(version) << 56 | UInt64(kind.rawValue) << 48 | UInt64(flags.rawValue) << 32 | UInt64(stream)
        withUnsafeBytes(of: head.bigEndian) { output.append(contentsOf: $0) }
        withUnsafeBytes(of: length.bigEndian) { output.append(contentsOf: $0) }
    }
}
