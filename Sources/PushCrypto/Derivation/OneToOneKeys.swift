/// The keys of a one-to-one space, which both writers compute from their own private key and the other's public one
/// (protocol.md §2).
struct OneToOneKeys {
    private static let ownerLabels = ["SLIP-0021", "anysync", "onetoone", "0"]
    private static let readKeyLabels = ["SLIP-0021", "anysync", "onetooneread"]
    private static let metadataKeyLabels = ["SLIP-0021", "anysync", "onetoonemeta"]

    /// Owns the space and signs its root.
    let owner: SigningKey
    let readKey: SymmetricKey
    let metadataKey: SigningKey

    init(account: SigningKey, other: PublicKey) throws(KeyError) {
        owner = try account.sharedKey(with: other, labels: Self.ownerLabels)
        readKey = owner.withRawBytes { SLIP21Node(seed: $0, labels: Self.readKeyLabels).symmetricKey }
        metadataKey = try account.sharedKey(with: other, labels: Self.metadataKeyLabels)
    }
}

extension SigningKey {
    private static let sharedKeyInfo = Array("joined-identity-v1".utf8)
    private static let sharedSeedByteCount = 32

    /// The key that this account and another have in common (protocol.md §2, "shared").
    ///
    /// - Parameters:
    ///   - other: the other account's public key; with this account's, the other computes the same.
    ///   - labels: the SLIP-21 path, without `m`.
    /// - Throws: ``KeyError/unusableForEncryption`` for a key of small order.
    package func sharedKey(with other: PublicKey, labels: [String]) throws(KeyError) -> SigningKey {
        var secret = try sharedSecret(with: other)
        defer { Sodium.zero(&secret) }
        let identities = [publicKey.rawRepresentation, other.rawRepresentation]
            .sorted { $0.lexicographicallyPrecedes($1) }
        // OpenSSL withholds nothing on input of this form; if it did, there would be no shared key to speak of.
        guard
            var seed = Digest.hkdfSHA256(
                secret, info: Self.sharedKeyInfo + identities.joined(), count: Self.sharedSeedByteCount
            )
        else { throw .unusableForEncryption }
        defer { Sodium.zero(&seed) }
        return SLIP21Node(seed: seed, labels: labels).symmetricKey.withRawBytes { SigningKey(checkedSeed: $0) }
    }
}
