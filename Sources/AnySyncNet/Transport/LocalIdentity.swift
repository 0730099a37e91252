public import PushCrypto

/// Who we are to peers: the keys and versions that every handshake of this process presents.
public struct LocalIdentity: Sendable {
    /// The account key, whose public half is the identity that peers see.
    public var account: SigningKey
    /// The device's peer key; two processes must not share one, since a peer keeps only the newest connection of a peer id.
    public var peer: SigningKey
    /// Our name and version as sent in every credential message; never empty (protocol.md §6).
    public var clientVersion: String
    /// The version a dialer offers first. Default: ``defaultVersion``.
    public var version: UInt32
    /// The versions we accept, in the order they are tried after ``version``. Default: ``defaultAcceptedVersions``.
    public var acceptedVersions: [UInt32]

    /// The version in service today (protocol.md §6).
    public static let defaultVersion: UInt32 = 13
    /// What we accept (protocol.md §6).
    public static let defaultAcceptedVersions: [UInt32] = [8, 9, 12, 13, 14]

    /// Identity of a process.
    public init(
        account: SigningKey,
        peer: SigningKey,
        clientVersion: String,
        version: UInt32 = defaultVersion,
        acceptedVersions: [UInt32] = defaultAcceptedVersions
    ) {
        self.account = account
        self.peer = peer
        self.clientVersion = clientVersion
        self.version = version
        self.acceptedVersions = acceptedVersions
    }

    /// The peer id that others dial.
    public var peerId: PeerId {
        PeerId(publicKey: peer.publicKey)
    }
}
