public import PushCrypto

/// Why a payload is not shown as the account's that it names as its sender (protocol.md §4, `Message.signature`).
///
/// Every member of a space holds the key that seals payloads, so an opened payload says only that some member made it. The
/// signature says which one.
public enum SenderFault: Hashable, Sendable {
    /// The signature is not by the account that the payload names: somebody passes for it.
    case forged(claimed: PublicKey)
    /// There is no signature, or it is not base64.
    case unsigned
    /// The payload names no account.
    case unknownSender
}

/// Who made an opened payload, and that it belongs to the space that it names.
struct Provenance {
    /// The account that signed it, which is the one that it names.
    let sender: PublicKey
    /// The accounts of this device that have the key from a row of the space.
    let accounts: [PublicKey]
}

extension OpenedNotification {
    /// Judges an opened payload by what it names: only a key of that space opens it, one that was not superseded long
    /// before, and the named sender signed it.
    ///
    /// - Parameters:
    ///   - spaceId: the space that the payload names.
    ///   - senderId: the account address that it names, or what a hostile member wrote in its place.
    ///   - keys: where the key was found.
    ///   - time: when the message arrived, in seconds since 1970.
    func provenance(
        spaceId: String, senderId: String, keys: any PayloadKeySource, at time: Int64
    ) throws(GenericReason) -> Provenance {
        let filing: KeyFiling?
        do throws(KeyCacheError) { filing = try keys.filing(ofKeyWithId: keyId, spaceId: spaceId) } catch {
            throw .keyUnavailable(error)
        }
        guard let filing else { throw .keyOfAnotherSpace }
        guard filing.isValid(at: time) else { throw .supersededKey }
        guard let account = try? PublicKey(accountAddress: senderId) else { throw .unprovenSender(.unknownSender) }
        guard signature != nil else { throw .unprovenSender(.unsigned) }
        guard isSigned(by: account) else { throw .unprovenSender(.forged(claimed: account)) }
        return Provenance(sender: account, accounts: filing.accounts)
    }
}
