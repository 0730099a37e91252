/// Why a text is no account address, network id or peer id (protocol.md §1).
public enum AddressError: Error, Hashable, Sendable {
    /// Empty, too long, or with a character outside the base58 alphabet.
    case notBase58
    /// Decodes to fewer than 3 bytes.
    case tooShort(byteCount: Int)
    /// The version byte says that this is something else.
    case wrongVersion(expected: UInt8, found: UInt8)
    /// The CRC does not match: mistyped or cut.
    case wrongChecksum
    /// The key inside is not 32 bytes long.
    case wrongLength(byteCount: Int)
    /// The key inside is not a point of the Ed25519 curve.
    case notACurvePoint
    /// A peer id that does not carry an Ed25519 key inside it.
    case notAnEd25519PeerId
}
