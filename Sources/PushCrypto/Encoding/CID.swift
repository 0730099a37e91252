/// The content identifier of an ACL record or a space header: CIDv1, dag-cbor, SHA-256, multibase base32, so `bafyrei…`
/// (protocol.md §2).
public struct CID: Hashable, Sendable, CustomStringConvertible {
    /// The length of ``text`` in characters: the multibase letter and 36 bytes in base32.
    public static let textLength = 59

    // Version 1, codec dag-cbor 0x71, then the multihash: function sha2-256 0x12 and the digest's length.
    private static let prefix: [UInt8] = [0x01, 0x71, 0x12, 0x20]

    private let characters: [UInt8]

    /// The identifier of a content.
    ///
    /// - Parameter content: any bytes.
    public init(of content: some Collection<UInt8>) {
        var characters: [UInt8] = []
        characters.reserveCapacity(Self.textLength)
        characters.append(UInt8(ascii: "b"))
        Base32.append(Self.prefix + Digest.sha256(content), to: &characters)
        self.characters = characters
    }

    /// The identifier as text, 59 characters.
    public var text: String {
        String(decoding: characters, as: UTF8.self)
    }

    /// Whether `text` is this identifier, written in the one form that is accepted.
    public func matches(_ text: String) -> Bool {
        characters.elementsEqual(text.utf8)
    }

    public var description: String { text }
}
