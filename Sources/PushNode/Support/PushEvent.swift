public import AnySyncWire

/// Takes what happens in the background; the host writes it to its log. Called from any task, so it returns quickly.
public typealias PushEventHandler = @Sendable (PushEvent) -> Void

/// Something in the background that an operator should see. It names spaces and reasons, and never a key, a token or a
/// text.
public enum PushEvent: Hashable, Sendable {
    /// The node could only be reached in a way that is not encrypted; said once for each node.
    case pathNotEncrypted(PushNodePath)
    /// The node refused a protocol version or was refused, with the versions of both sides; said once for each answer.
    case handshakeRefused(HandshakeFailure)
    /// The node did not take the device's token; it is tried again.
    case tokenNotForwarded(PushNodeError)
    /// The node did not confirm that it forgot the device's token; it is tried again.
    case tokenNotRevoked(PushNodeError)
    /// The token's record could not be read or written.
    case tokenRecordFailed(reason: String)
    /// The node did not register a space; the round went on, and the next one tries again.
    case registrationFailed(spaceId: String, PushNodeError)
    /// A space has not its full say in a round.
    case spaceLeftOut(LeftOutSpace)
    /// The node does not hold the topics that it confirmed; they are sent again.
    case topicsLost
    /// The node could only replace all topics of the account, and so many were of spaces that this device does not know.
    case otherTopicsReplaced(count: Int)
    /// A round did not get to its end; it is tried again.
    case roundFailed(ReconcileError)
    /// The notify queue is full, so a notification was dropped.
    case notificationDropped
    /// Notifications were given up, after their last try or because the answer will not change.
    case notificationsGivenUp(count: Int, PushNodeError)
    /// Notifications from the outbox were given up because they are too old.
    case notificationsExpired(count: Int)
    /// The outbox could not be read or written; it is tried again. Said when the reason is another.
    case outboxFailed(reason: String)
    /// Push stopped with notifications that were not sent. Those that the outbox keeps are sent after the next start; those
    /// that were given up since the start never.
    case stoppedWithUnsent(kept: Int, givenUp: Int)
    /// Too many hooks wait, so one was dropped and its notification is not sent.
    case hookDropped(spaceId: String)
    /// A hook came to nothing, and its notification is not sent.
    case hookFailed(spaceId: String, HookFailure)
}

extension PushEvent: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .pathNotEncrypted(let path): path.warning ?? "connected over \(path.kind)://\(path.address)"
        case .handshakeRefused(let failure): "push node: \(Self.text(of: failure))"
        case .tokenNotForwarded(let error): "device token not forwarded, will retry: \(Self.text(of: error))"
        case .tokenNotRevoked(let error): "device token not revoked at the node, will retry: \(Self.text(of: error))"
        case .tokenRecordFailed(let reason): "device token record: \(reason)"
        case .registrationFailed(let spaceId, let error): "space \(spaceId) not registered: \(Self.text(of: error))"
        case .spaceLeftOut(let space): "space \(space.spaceId) in topic round: \(space.reason)"
        case .topicsLost: "node holds other topics than it confirmed, sending them again"
        case .otherTopicsReplaced(let count):
            "another device of this account lost \(count) topics of spaces that are not here, because the node replaces all; "
                + "import those spaces here, or use a node that keeps them"
        case .roundFailed(let error): "topic round failed, will retry: \(error)"
        case .notificationDropped: "notification dropped: the notify queue is full"
        case .notificationsGivenUp(let count, let error):
            "\(Self.notifications(count)) given up: \(Self.text(of: error))"
        case .notificationsExpired(let count): "\(Self.notifications(count)) given up: too old"
        case .outboxFailed(let reason): "outbox of notifications, will retry: \(reason)"
        case .stoppedWithUnsent(let kept, let givenUp):
            "stopped"
                + (kept > 0 ? "; \(Self.notifications(kept)) not sent yet, kept for the next start" : "")
                + (givenUp > 0 ? "; \(Self.notifications(givenUp)) given up since the start" : "")
        case .hookDropped(let spaceId): "push hook of space \(spaceId) dropped: too many wait"
        case .hookFailed(let spaceId, let failure): "push hook of space \(spaceId) failed: \(failure)"
        }
    }

    private static func notifications(_ count: Int) -> String {
        count == 1 ? "1 notification" : "\(count) notifications"
    }

    /// The longest text of an error, in characters: some of it is a peer's. Long enough for what each of ten addresses did,
    /// with the versions of both sides.
    static let maximumTextLength = 4000

    /// An error on one line, cut to a bounded length.
    static func text(of error: some Error) -> String {
        String(String(describing: error).map { $0.isNewline ? " " : $0 }.prefix(maximumTextLength))
    }
}
