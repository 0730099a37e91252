public import ProtoWire

/// Why bytes are no key, or a key can not do what was asked.
public enum KeyError: Error, Hashable, Sendable {
    /// The key has another length than its type asks for, in bytes.
    case wrongLength(expected: Int, found: Int)
    /// The 32 bytes do not decode to a point of the Ed25519 curve.
    case notACurvePoint
    /// A marshalled key is no protobuf message.
    case malformed(ProtoError)
    /// A marshalled key is of another type than the one expected (protocol.md §1, `Key.Type`).
    case wrongType(expected: KeyType, found: Int32)
    /// The public half inside a private key does not belong to its seed.
    case publicHalfMismatch
    /// The public key is of small order, so nothing can be kept secret with it.
    case unusableForEncryption
    /// A sealed message is shorter than its fixed parts, in bytes.
    case ciphertextTooShort(minimum: Int, found: Int)
    /// A sealed message was not made for this key, or was changed on its way.
    case cannotDecrypt
}

/// The type of a marshalled key (protocol.md §1, `Key.Type`).
public enum KeyType: Int32, Hashable, Sendable {
    /// An Ed25519 public key, 32 bytes.
    case ed25519Public = 0
    /// An Ed25519 private key, 64 bytes: seed, then public key.
    case ed25519Private = 1
    /// An AES-256 key, 32 bytes.
    case aes = 2
}
