import PushNode

/// What happened in an account's store, told once it is committed.
enum AccountEvent: Sendable {
    /// A space's row came or changed: its status, role, details, settings, keys or members.
    case spaceChanged(String)
    /// This account wrote the space's `notifyMode`, whatever it is now.
    case spaceModeWritten(String)
    /// This account wrote the chat's `notifyMode`, whatever it is now.
    case chatModeWritten(spaceId: String, chatId: String)
    /// A chat came or changed: its name, its messages, what is unread in it.
    case chatChanged(spaceId: String, chatId: String)
    /// This account did something in a chat here, and this became of the notification.
    case notified(NotificationOutcome, spaceId: String)
    /// This account read a chat here; the notification waits a while.
    case readingKept
}
