/// The keys of a new generation.
public struct ACLKeys: Sendable {
    /// What members read and write with.
    public let readKey: SymmetricKey
    /// What members' words about themselves are encrypted to.
    public let metadataKey: SigningKey

    /// Takes keys, random ones unless they are given.
    public init(readKey: SymmetricKey = SymmetricKey(), metadataKey: SigningKey = SigningKey()) {
        self.readKey = readKey
        self.metadataKey = metadataKey
    }
}

// How the keys go into records (protocol.md §2). The marshalled keys are zeroed.
extension ACLKeys {
    /// The metadata key, sealed with the read key.
    func sealedMetadataKey() throws(ACLWriteError) -> [UInt8] {
        var marshalled = metadataKey.marshalled()
        defer { Sodium.zero(&marshalled) }
        return try readKey.sealed(marshalled)
    }

    /// The read key before, sealed with this one.
    func sealed(_ oldReadKey: SymmetricKey) throws(ACLWriteError) -> [UInt8] {
        var marshalled = oldReadKey.marshalled()
        defer { Sodium.zero(&marshalled) }
        return try readKey.sealed(marshalled)
    }
}

extension SymmetricKey {
    /// This read key, encrypted to an account or an invite.
    func encrypted(to recipient: PublicKey) throws(ACLWriteError) -> [UInt8] {
        var marshalled = marshalled()
        defer { Sodium.zero(&marshalled) }
        return try recipient.encrypted(marshalled)
    }

    fileprivate func sealed(_ marshalled: [UInt8]) throws(ACLWriteError) -> [UInt8] {
        do throws(SealError) { return try seal(marshalled) } catch { throw .cannotSeal(error) }
    }
}

extension PublicKey {
    /// A message encrypted to this key.
    func encrypted(_ message: [UInt8]) throws(ACLWriteError) -> [UInt8] {
        do throws(KeyError) { return try encrypt(message) } catch { throw .cannotEncrypt(to: self, error) }
    }
}
