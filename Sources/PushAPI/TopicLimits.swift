public import ProtoWire
import PushCrypto

/// How many topics an account may have: what a node of ours takes, and so what a client of ours asks for. Both ends read
/// it here, and the largest request within it fits a message (``requestBytes``).
public struct TopicLimits: Hashable, Sendable {
    /// Topics of one account.
    public var count = 8192
    /// Bytes of space keys and names together: 8192 of the longest topics that clients make take 1,236,992 (a key of 32
    /// bytes and a name of 119; protocol.md §3).
    public var bytes = 1_310_720

    /// The defaults named at each property.
    public init() {}

    /// The most that a request with such topics takes as a message.
    public var requestBytes: Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: Self.overhead)
        let (sum, carried) = product.addingReportingOverflow(bytes + Self.envelope)
        return overflow || carried ? .max : sum
    }

    /// What a topic takes beside key and name: four tags and lengths, and a signature (protocol.md §4).
    private static let overhead = 4 + 2 + 4 + 2 + SigningKey.signatureByteCount
    /// The list's tag and length.
    private static let envelope = 11

    /// What one topic counts.
    public static func byteCount(spaceKey: [UInt8], name: WireString) -> Int { spaceKey.count + name.bytes.count }
}
