public import AnySyncWire
public import PushCrypto

/// Who we are to peers: the keys and versions that every handshake of this process presents.
public struct LocalIdentity: Sendable {
    /// The account key, whose public half is the identity that peers see.
    public var account: SigningKey
    /// The device's peer key; two processes must not share one, since a peer keeps only the newest connection of a peer
    /// id.
    public var peer: SigningKey
    /// Our software's name as sent in every credential message; see ``LocalCredentials/defaultClientVersion``.
    public var clientVersion: String
    /// The version a dialer offers first.
    public var version: UInt32
    /// The versions we accept (protocol.md §6).
    public var acceptedVersions: [UInt32]

    /// Identity of a process.
    public init(
        account: SigningKey,
        peer: SigningKey,
        clientVersion: String = LocalCredentials.defaultClientVersion,
        version: UInt32 = LocalCredentials.defaultVersion,
        acceptedVersions: [UInt32] = LocalCredentials.defaultAcceptedVersions
    ) {
        self.account = account
        self.peer = peer
        self.clientVersion = clientVersion
        self.version = version
        self.acceptedVersions = acceptedVersions
    }

    /// Takes on the versions that an operator has set.
    public mutating func use(_ versions: ProtocolVersions) {
        version = versions.own
        acceptedVersions = versions.accepted
    }

    /// The peer id that others dial.
    public var peerId: PeerId {
        PeerId(publicKey: peer.publicKey)
    }

    /// The versions that a dialer tries, in this order: our own, then the others we accept, as protocol.md §6 orders
    /// them.
    public var dialVersions: [UInt32] {
        var order = [version]
        for candidate in VersionNegotiation.defaultOrder + acceptedVersions
        where acceptedVersions.contains(candidate) && !order.contains(candidate) {
            order.append(candidate)
        }
        return order
    }

    /// What a credential handshake presents.
    ///
    /// - Parameter version: the protocol version to say.
    package func credentials(version: UInt32) -> LocalCredentials {
        LocalCredentials(
            account: account, peer: peerId, version: version, acceptedVersions: acceptedVersions,
            clientVersion: clientVersion)
    }
}
