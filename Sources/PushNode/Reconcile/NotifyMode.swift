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

extension NotifyMode: Comparable {
    /// A mode that notifies of fewer messages comes first.
    public static func < (left: NotifyMode, right: NotifyMode) -> Bool {
        left.breadth < right.breadth
    }

    private var breadth: Int {
        switch self {
        case .none: 0
        case .mentions: 1
        case .all: 2
        }
    }
}
