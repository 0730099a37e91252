import PushCrypto

/// The long byte sequence that vectors name instead of holding it: b(0) = SHA-256("big"), b(i+1) = SHA-256(b(i)),
/// concatenated (drpc.json, `bigBytes`).
enum BigBytes {
    /// The sequence's first `count` bytes.
    static func prefix(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 32)
        var block = Digest.sha256(Array("big".utf8))
        while bytes.count < count {
            bytes += block
            block = Digest.sha256(block)
        }
        return Array(bytes.prefix(count))
    }
}
