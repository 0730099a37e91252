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
        do throws(KeyError) {
            return try KeyMessage.decode(marshalled, as: .ed25519Private, rawKey)
        } catch {
            throw .cannotDecrypt(.metadataKey)
        }
    }

    /// The raw form of a private key, of 64 bytes or, with the public half repeated, 96.
    private static func rawKey(_ bytes: ArraySlice<UInt8>) throws(KeyError) -> SecretBytes {
        let (raw, repeated) = (bytes.prefix(SigningKey.rawByteCount), bytes.dropFirst(SigningKey.rawByteCount))
        guard raw.count == SigningKey.rawByteCount, repeated.isEmpty || repeated.count == PublicKey.byteCount else {
            throw .wrongLength(expected: SigningKey.rawByteCount, found: bytes.count)
        }
        guard repeated.isEmpty || repeated.elementsEqual(raw.suffix(PublicKey.byteCount)) else {
            throw .publicHalfMismatch
        }
        return SecretBytes(raw)
    }
}
