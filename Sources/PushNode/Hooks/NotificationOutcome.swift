/// What became of the notification of something that happened in a chat, in the transaction of a host with a
/// ``NotificationOutbox``.
public enum NotificationOutcome: Hashable, Sendable {
    /// It is in the outbox.
    case kept
    /// An edit that mentions nobody new: nothing is to be sent.
    case nobodyNew
    /// An edit of a message whose state before is not known: nothing is sent.
    case earlierStateUnknown
    /// The outbox has no room, so it was dropped.
    case dropped
    /// It came to nothing.
    case failed(HookFailure)
}
