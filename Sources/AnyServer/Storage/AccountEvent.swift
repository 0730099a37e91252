import PushCrypto
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
    /// This account sent a message here.
    case messageSent(StoredMessage)
    /// This account edited a message here.
    ///
    /// - Parameter mentionsBefore: whom it mentioned until then, `nil` when that could not be read.
    case messageEdited(StoredMessage, mentionsBefore: [PublicKey]?)
    /// This account read a chat here, up to some message or all of it.
    case chatRead(ChatReading)
}
