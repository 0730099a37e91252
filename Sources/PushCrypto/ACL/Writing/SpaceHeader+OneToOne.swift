extension SpaceHeader {
    /// The header of a space of two. It follows from the two accounts alone, so both make the same bytes and the same
    /// id.
    ///
    /// It is made and signed by the key that the two share, the owner of their log (protocol.md §2), with no time and
    /// no seed; the replication key is the first 8 bytes of the SHA-256 of that key's public half.
    ///
    /// - Parameters:
    ///   - account: the account key of one of the two.
    ///   - other: the other one.
    ///   - spaceType: what the space is for, as the application names it.
    /// - Throws: ``ACLWriteError/noSharedKeys(_:)``.
    public static func oneToOne(
        account: SigningKey, other: PublicKey, spaceType: String
    ) throws(ACLWriteError) -> Signed {
        let owner: SigningKey
        do throws(KeyError) { owner = try OneToOneKeys(account: account, other: other).owner } catch {
            throw .noSharedKeys(error)
        }
        let digest = Digest.sha256(owner.publicKey.rawRepresentation)
        return SpaceHeader(
            identity: owner.publicKey, timestamp: 0, spaceType: spaceType,
            replicationKey: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, seed: []
        ).signed(by: owner)
    }
}
