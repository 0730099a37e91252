/// Opens the keys that records carry (protocol.md §2). What is opened on the way is zeroed.
enum ACLSecrets {
    /// A marshalled read key that was encrypted to an account or an invite.
    static func readKey(
        _ encrypted: some Collection<UInt8>, for account: SigningKey
    ) throws(ACLError.Reason) -> SymmetricKey {
        do throws(KeyError) {
            var marshalled = try account.decrypt(encrypted)
            defer { Sodium.zero(&marshalled) }
            return try SymmetricKey(marshalled: marshalled)
        } catch {
            throw .cannotDecrypt(.readKey)
        }
    }

    /// A marshalled read key that was sealed with the one after it.
    static func oldReadKey(
        _ sealed: some Collection<UInt8>, with readKey: SymmetricKey
    ) throws(ACLError.Reason) -> SymmetricKey {
        guard var marshalled = try? readKey.open(sealed) else { throw .cannotDecrypt(.oldReadKey) }
        defer { Sodium.zero(&marshalled) }
        guard let key = try? SymmetricKey(marshalled: marshalled) else { throw .cannotDecrypt(.oldReadKey) }
        return key
    }

    /// A marshalled metadata key that was sealed with the read key of its generation: its raw form, of the right length.
    static func metadataKey(
        _ sealed: some Collection<UInt8>, with readKey: SymmetricKey
    ) throws(ACLError.Reason) -> SecretBytes {
        guard var marshalled = try? readKey.open(sealed) else { throw .cannotDecrypt(.metadataKey) }
        defer { Sodium.zero(&marshalled) }
        guard let key = rawMetadataKey(marshalled) else { throw .cannotDecrypt(.metadataKey) }
        return key
    }

    // A function of its own, so that no view of `marshalled` is left when its caller zeroes it.
    private static func rawMetadataKey(_ marshalled: [UInt8]) -> SecretBytes? {
        guard let raw = try? KeyMessage.decode(marshalled, as: .ed25519Private) else { return nil }
        switch raw.count {
        case SigningKey.rawByteCount:
            return SecretBytes(raw)
        case SigningKey.rawByteCount + PublicKey.byteCount:
            let publicHalf = raw.dropFirst(SigningKey.seedByteCount).prefix(PublicKey.byteCount)
            guard raw.suffix(PublicKey.byteCount).elementsEqual(publicHalf) else { return nil }
            return SecretBytes(raw.prefix(SigningKey.rawByteCount))
        default:
            return nil
        }
    }
}
