package import PushCrypto

/// An account as the queue tells it from others: the first 60 bits of its key.
///
/// Whose tags are the same share one sender's part, which nobody can bring about on purpose for somebody else's key.
package struct SenderTag: Hashable, Sendable {
    /// The bits, as they are stored.
    package let rawValue: Int64

    /// A tag as it was stored.
    init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The tag of an account.
    package init(_ identity: PublicKey) {
        self.init(key: identity.rawRepresentation)
    }

    /// The tag of an account whose key has these 32 bytes.
    init(key: [UInt8]) {
        let bits = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rawValue = Int64(bits >> 4)
    }
}
