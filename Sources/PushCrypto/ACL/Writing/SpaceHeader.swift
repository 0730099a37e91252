import ProtoWire

/// What a space is made from; it gives the space its id (protocol.md §2, "Writing").
public struct SpaceHeader: Hashable, Sendable {
    /// The length of a random seed in bytes.
    public static let seedByteCount = 32
    // protocol.md §2.
    private static let fileProtocolVersion: Int32 = 2

    /// Who makes the space.
    public let identity: PublicKey
    /// When, in seconds since 1970.
    public let timestamp: Int64
    /// What the space is for, as the application names it.
    public let spaceType: String
    /// Chooses the nodes that keep the space.
    public let replicationKey: UInt64
    /// Sets the space apart from others of the same account.
    public let seed: [UInt8]
    /// What the application adds.
    public let payload: [UInt8]

    /// Takes what a space is made from; the seed is random unless it is given.
    public init(
        identity: PublicKey, timestamp: Int64, spaceType: String, replicationKey: UInt64,
        seed: [UInt8]? = nil, payload: [UInt8] = []
    ) {
        self.identity = identity
        self.timestamp = timestamp
        self.spaceType = spaceType
        self.replicationKey = replicationKey
        self.seed = seed ?? Sodium.random(Self.seedByteCount)
        self.payload = payload
    }

    /// A header with its signature, and the id that follows.
    public struct Signed: Hashable, Sendable {
        /// `RawSpaceHeader`: the header and the account's signature.
        public let rawHeader: [UInt8]
        /// The ``CID`` of ``rawHeader``, a full stop, and the replication key in base 36.
        public let spaceId: String
    }

    /// Signs the header.
    ///
    /// - Parameter account: the private half of ``identity``.
    public func signed(by account: SigningKey) -> Signed {
        let header = marshalled()
        var raw = ProtoWriter(reserving: header.count + SigningKey.signatureByteCount + 8)
        raw.bytes(1, header)
        raw.bytes(2, account.signature(for: header))
        return Signed(
            rawHeader: raw.bytes, spaceId: Self.spaceId(of: raw.bytes, replicationKey: replicationKey)
        )
    }

    static func spaceId(of rawHeader: [UInt8], replicationKey: UInt64) -> String {
        "\(CID(of: rawHeader)).\(String(replicationKey, radix: 36))"
    }

    private func marshalled() -> [UInt8] {
        var writer = ProtoWriter()
        writer.bytes(1, identity.marshalled)
        writer.int64(2, timestamp)
        writer.string(3, spaceType)
        writer.varint(4, replicationKey)
        writer.bytes(5, seed)
        writer.bytes(6, payload)
        writer.int32(9, Self.fileProtocolVersion)
        return writer.bytes
    }
}
