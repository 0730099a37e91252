/// Which messages of a chat a user wants to be notified of. The raw value is the setting's text; any other text, and any
/// value that is no text, counts as no setting.
public enum NotifyMode: String, Hashable, Sendable, CaseIterable {
    /// Every message.
    case all
    /// Messages that mention the user.
    case mentions
    /// No message.
    case none
}
