package import PushCrypto

/// A push message after decryption, its plaintext not yet judged.
package struct OpenedNotification: Sendable {
    /// What was sealed.
    package let plaintext: [UInt8]
    /// The id of the key that opened it.
    let keyId: String
    /// The sealed payload, which the sender signs.
    let ciphertext: [UInt8]
    /// The sender's signature; `nil` when there is none or it is not base64.
    let signature: [UInt8]?
    /// The data map's group id, `nil` when empty.
    let groupId: String?

    /// Whether an account signed this.
    package func isSigned(by account: PublicKey) -> Bool {
        signature.map { account.isValidSignature($0, for: ciphertext) } ?? false
    }
}
