import PushNode
import SQLiteStorage

/// A chat as the store has it.
struct StoredChat: Hashable, Sendable {
    /// What its messages refer to it by.
    let number: Int64
    let id: String
    /// Whether it was made; the general chat never needs to be.
    let isKnown: Bool
    let name: String?
    /// The highest Lamport time of its changes.
    let counter: UInt64
    /// `nil` too for a text that is no mode.
    let notifyMode: NotifyMode?
    let unread: UnreadCounts

    init(_ row: SQLiteConnection.Row) {
        number = row.integer(0)
        id = row.text(1)
        isKnown = row.integer(2) != 0
        name = row.isNull(3) ? nil : row.text(3)
        counter = UInt64(bitPattern: row.integer(4))
        notifyMode = row.isNull(5) ? nil : NotifyMode(rawValue: row.text(5))
        unread = UnreadCounts(
            messages: Int(row.integer(6)), mentions: Int(row.integer(7)), reactions: Int(row.integer(8))
        )
    }
}

/// How much of a chat is unread, or a difference of that.
struct UnreadCounts: Hashable, Sendable {
    var messages = 0
    var mentions = 0
    /// Messages with unread reactions.
    var reactions = 0

    static func - (left: UnreadCounts, right: UnreadCounts) -> UnreadCounts {
        UnreadCounts(
            messages: left.messages - right.messages, mentions: left.mentions - right.mentions,
            reactions: left.reactions - right.reactions
        )
    }
}
