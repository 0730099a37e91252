/// One read key of a space and the metadata key that came with it (protocol.md §2).
public struct ACLKeyGeneration: Sendable, Equatable {
    /// The record that made it: the root, a read key change or a removal.
    public let recordId: String
    /// The public metadata key, to which accounts encrypt what they say about themselves; `nil` in a derived space, and in
    /// a one-to-one space for outsiders.
    public internal(set) var metadataPublicKey: PublicKey?
    /// The read key, when the account has it.
    public internal(set) var readKey: SymmetricKey?

    // The metadata key as it was opened. It is turned into a key when somebody asks, since that takes a curve multiplication
    // and few generations are ever asked for.
    var openedMetadataKey: SecretBytes?
    var sealedMetadataKey: [UInt8] = []
    var sealedOldReadKey: [UInt8]?
    // Whether all generations below were opened by walking down from this one's read key, so that another walk would find
    // the same.
    var isWalked = false

    init(recordId: String) {
        self.recordId = recordId
    }

    /// The metadata key, when the account has it; `nil` too for one whose public half is not its own.
    public func metadataKey() -> SigningKey? {
        openedMetadataKey.flatMap { secret in
            secret.withBuffer { bytes in try? SigningKey(rawRepresentation: bytes) }
        }
    }

    /// The key that seals payloads in this generation (protocol.md §1, "Payload encryption key"), when the account has it.
    public func encryptionKey() -> SymmetricKey? {
        readKey.map(SpacePushKeys.encryptionKey(readKey:))
    }
}

extension ACLKeyGeneration: CustomStringConvertible {
    /// The record and what is known, never a key.
    public var description: String {
        "ACLKeyGeneration(\(recordId), read key \(readKey == nil ? "unknown" : "known"))"
    }
}
