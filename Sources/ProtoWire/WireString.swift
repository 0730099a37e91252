/// The bytes of a protobuf `string` field, kept as they came.
///
/// The reference accepts strings that are not UTF-8, and signatures cover the bytes; turning them into a `String` would lose
/// what was signed. ``string`` is the text for people.
public struct WireString: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes on the wire; UTF-8 when the peer is well behaved.
    public var bytes: [UInt8]

    /// Wraps bytes as they are.
    public init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The UTF-8 bytes of `string`.
    public init(_ string: String) {
        bytes = Array(string.utf8)
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text, with each malformed sequence replaced by U+FFFD.
    public var string: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the field would be left out on the wire.
    public var isEmpty: Bool {
        bytes.isEmpty
    }

    // The synthesised form hashes byte by byte, which shows in every lookup by topic.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    public var description: String {
        string
    }
}
