public import PushCrypto

/// Whether a payload comes from the account that it names as its sender (protocol.md §4, `Message.signature`).
///
/// Every member of a space holds the key that seals payloads, so an opened payload says only that some member made it. The
/// signature says which one.
public enum SenderVerdict: Hashable, Sendable {
    /// The signature over the ciphertext is this account's, and the payload names it.
    case verified(PublicKey)
    /// The signature is not by the account that the payload names: somebody passes for it.
    case forged(claimed: PublicKey)
    /// There is no signature, or it is not base64.
    case unsigned
    /// The payload names no account.
    case unknownSender

    /// Whether the payload may be shown as the named sender's.
    public var isVerified: Bool {
        if case .verified = self { true } else { false }
    }
}
