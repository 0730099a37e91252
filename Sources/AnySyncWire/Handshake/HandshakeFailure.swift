public import ProtoWire
public import PushCrypto

/// Why a credential handshake failed, with both sides' versions.
public struct HandshakeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Reason: Error, Hashable, Sendable {
        /// A frame of this type was not due.
        case unexpectedFrame(type: UInt8)
        /// A frame's declared size is over the limit, in bytes.
        case frameTooLarge(declared: UInt32)
        /// A frame's body is no message.
        case malformed(ProtoError)
        /// The peer's version is not one that we accept.
        case versionNotAccepted
        /// The peer's software is one that must not connect.
        case clientVersionBlocked
        /// The peer did not prove its identity.
        case signatureRequired(found: Credentials.Kind)
        /// The peer's proof is no message.
        case malformedPayload(ProtoError)
        /// The peer's identity is no key.
        case invalidIdentity(KeyError)
        /// The peer's proof is not signed by its identity for this connection.
        case invalidSignature
        /// The peer turned us away.
        case refusedByPeer(HandshakeAck.Code)
        /// The peer closed the connection as one does after a refusal, and its reason did not arrive: over QUIC the close of
        /// a reference peer overtakes what it says (protocol.md §6).
        case refusedWithoutReason
        /// The connection ended first.
        case connectionEnded
        /// It took too long.
        case deadlineExceeded
    }

    /// What went wrong.
    public let reason: Reason
    /// The version we said we speak.
    public let localVersion: UInt32
    /// The versions we accept.
    public let acceptedVersions: [UInt32]
    /// The version the peer said it speaks, when it came to that.
    public let remoteVersion: UInt32?
    /// The peer's software, made printable, when it said so.
    public let remoteClientVersion: String?

    init(_ reason: Reason, local: LocalCredentials, remote: Credentials?) {
        self.reason = reason
        localVersion = local.version
        acceptedVersions = local.acceptedVersions
        remoteVersion = remote?.version
        remoteClientVersion = remote.map { PeerText.printable($0.clientVersion.bytes) }
    }

    /// Whether another protocol version may fare better; see ``VersionNegotiation``.
    public var isVersionRefusal: Bool {
        reason == .versionNotAccepted || reason == .refusedByPeer(.incompatibleVersion)
    }

    /// Whether the peer may have refused the protocol version without saying so.
    public var mayBeVersionRefusal: Bool { reason == .refusedWithoutReason }

    public var description: String {
        let accepted = acceptedVersions.map(String.init).joined(separator: ", ")
        let remote =
            remoteVersion.map { "version \($0), software \"\(remoteClientVersion ?? "")\"" } ?? "version not told"
        return "handshake: \(reason) (ours: version \(localVersion), accepting \(accepted); the peer's: \(remote))"
    }
}

extension HandshakeFailure.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpectedFrame(let type): "the peer sent a frame of type \(type), which was not due"
        case .frameTooLarge(let declared):
            "the peer announced a frame of \(declared) bytes, over the limit of \(HandshakeFrame.maximumBodySize)"
        case .malformed(let error): "the peer's message does not decode: \(error)"
        case .versionNotAccepted: "the peer's protocol version is not accepted; one side must be updated"
        case .clientVersionBlocked: "the peer's software version must not connect; it must be updated"
        case .signatureRequired(let found):
            "the peer must prove its identity (credentials type 1), it sent type \(found.rawValue)"
        case .malformedPayload(let error): "the peer's proof of identity does not decode: \(error)"
        case .invalidIdentity(let error): "the peer's identity is no public key: \(error)"
        case .invalidSignature: "the peer's identity did not sign this connection's peer ids"
        case .refusedByPeer(let code): "the peer refused: \(code)"
        case .refusedWithoutReason: "the peer refused without a reason, maybe for our protocol version"
        case .connectionEnded: "the peer closed the connection before the handshake was done"
        case .deadlineExceeded: "the peer did not finish the handshake in time"
        }
    }

    /// What to tell the peer; `nil` when the connection is closed without a word (protocol.md §6).
    var ack: HandshakeAck.Code? {
        switch self {
        case .frameTooLarge, .malformed: .unexpected
        case .versionNotAccepted, .clientVersionBlocked: .incompatibleVersion
        case .signatureRequired: .skipVerifyNotAllowed
        case .invalidIdentity, .invalidSignature: .invalidCredentials
        case .unexpectedFrame, .malformedPayload, .refusedByPeer, .refusedWithoutReason, .connectionEnded,
            .deadlineExceeded:
            nil
        }
    }

    init(_ error: HandshakeFrameError) {
        switch error {
        case .unexpectedType(let type): self = .unexpectedFrame(type: type)
        case .tooLarge(let declared): self = .frameTooLarge(declared: declared)
        }
    }
}
