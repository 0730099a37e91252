/// Readings that wait to be told, one for each chat: the newest.
///
/// A notice at the very moment of reading would tell the node when its user looks at which chat.
struct PendingReads: Sendable {
    /// What a reading waits under.
    struct Ticket: Hashable, Sendable {
        fileprivate let spaceId: String
        fileprivate let chatId: String
        fileprivate let number: UInt64
    }

    private struct Chat: Hashable {
        let spaceId: String
        let chatId: String
    }

    private struct Pending {
        var reading: ChatReading
        let number: UInt64
    }

    private var chats: [Chat: Pending] = [:]
    private var nextNumber: UInt64 = 0

    /// How many chats wait.
    var count: Int { chats.count }

    /// Whether the reading's chat waits already.
    func holds(_ reading: ChatReading) -> Bool {
        chats[Chat(spaceId: reading.spaceId, chatId: reading.chatId)] != nil
    }

    /// Takes a reading in.
    ///
    /// - Returns: what it is to be taken out with when its time has come; `nil` when its chat waits already.
    mutating func add(_ reading: ChatReading) -> Ticket? {
        let chat = Chat(spaceId: reading.spaceId, chatId: reading.chatId)
        if let pending = chats[chat] {
            if reading.readAt >= pending.reading.readAt { chats[chat]?.reading = reading }
            return nil
        }
        chats[chat] = Pending(reading: reading, number: nextNumber)
        defer { nextNumber += 1 }
        return Ticket(spaceId: chat.spaceId, chatId: chat.chatId, number: nextNumber)
    }

    /// Takes a reading out; `nil` when it was taken before.
    mutating func take(_ ticket: Ticket) -> ChatReading? {
        let chat = Chat(spaceId: ticket.spaceId, chatId: ticket.chatId)
        guard chats[chat]?.number == ticket.number else { return nil }
        return chats.removeValue(forKey: chat)?.reading
    }

    /// Takes all out, in the order they came.
    mutating func takeAll() -> [ChatReading] {
        defer { chats = [:] }
        return chats.values.sorted { $0.number < $1.number }.map(\.reading)
    }
}
