import ProtoWire
public import PushCrypto

/// Who we are in a credential handshake, and whom we accept.
public struct LocalCredentials: Sendable {
    /// Versions in service whose peers we speak to (protocol.md §6).
    public static let defaultAcceptedVersions: [UInt32] = [8, 9, 12, 13, 14]
    /// The version that we speak first (protocol.md §6).
    public static let defaultVersion: UInt32 = 13
    /// Our software's name, the same for every program, version and platform: what a peer needs to know is in
    /// ``version``, and the rest would tell devices apart. Never empty (protocol.md §6).
    public static let defaultClientVersion = "anypush"

    /// Our account. With `nil` neither side proves an identity; a push node refuses that.
    public var account: SigningKey?
    /// The peer id that our TLS certificate proves.
    public var peer: PeerId
    /// The protocol version that we say we speak.
    public var version: UInt32
    /// The versions that a peer may speak.
    public var acceptedVersions: [UInt32]
    /// Our software, for people. An empty one is sent as ``defaultClientVersion``.
    public var clientVersion: String

    /// - Parameters:
    ///   - account: our account; `nil` when neither side proves an identity.
    ///   - peer: the peer id that our TLS certificate proves.
    ///   - version: the protocol version that we say we speak.
    ///   - acceptedVersions: the versions that a peer may speak.
    ///   - clientVersion: our software, for people.
    public init(
        account: SigningKey?, peer: PeerId, version: UInt32 = Self.defaultVersion,
        acceptedVersions: [UInt32] = Self.defaultAcceptedVersions,
        clientVersion: String = Self.defaultClientVersion
    ) {
        self.account = account
        self.peer = peer
        self.version = version
        self.acceptedVersions = acceptedVersions
        self.clientVersion = clientVersion
    }

    /// Our message to the peer.
    func message(to remote: PeerId, version: UInt32) -> Credentials {
        let software = clientVersion.isEmpty ? Self.defaultClientVersion : clientVersion
        guard let account else {
            return Credentials(kind: .skipVerify, version: version, clientVersion: .init(software))
        }
        let proof = SignedPeerIds(
            identity: account.publicKey.marshalled,
            signature: account.signature(for: Array((peer.text + remote.text).utf8)))
        return Credentials(
            kind: .signedPeerIds, payload: proof.encoded, version: version, clientVersion: .init(software))
    }

    /// Judges the peer's message, in the order of protocol.md §6.
    ///
    /// - Returns: the identity that the peer has proven; `nil` when we ask for none.
    func check(
        _ credentials: Credentials, from remote: PeerId
    ) throws(HandshakeFailure.Reason) -> PublicKey? {
        guard acceptedVersions.contains(credentials.version) else { throw .versionNotAccepted }
        guard !credentials.clientVersion.string.contains(Self.blockedClientVersion) else {
            throw .clientVersionBlocked
        }
        guard account != nil else { return nil }
        guard credentials.kind == .signedPeerIds else { throw .signatureRequired(found: credentials.kind) }
        let proof: SignedPeerIds
        do {
            proof = try SignedPeerIds(decoding: credentials.payload)
        } catch {
            throw .malformedPayload(error)
        }
        let identity: PublicKey
        do {
            identity = try PublicKey(marshalled: proof.identity)
        } catch {
            throw .invalidIdentity(error)
        }
        let signed = Array((remote.text + peer.text).utf8)
        guard identity.isValidSignature(proof.signature, for: signed) else { throw .invalidSignature }
        return identity
    }

    /// A release that the reference turns away (protocol.md §6).
    private static let blockedClientVersion = "middle:v0.36.6"
}
