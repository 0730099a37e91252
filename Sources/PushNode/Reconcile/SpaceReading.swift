import PushCrypto

/// A space as a round could read it.
struct SpaceReading: Sendable {
    /// Its row.
    let row: SpaceRow
    /// Its keys.
    let keys: SpacePushKeys
    /// Its chats.
    let chats: Chats

    /// Where a space's chats come from.
    enum Chats: Sendable {
        /// Listed in this round: every chat, with its override.
        case listed([SpaceModes.Chat])
        /// Listed in an earlier round, and no override of the space was written on this device since.
        case remembered([SpaceModes.Chat])
        /// Not known.
        case unknown
    }
}

extension SpaceReading {
    /// What the space contributes to the desired topics.
    ///
    /// - Parameter isSoleClaim: whether no other space has its push key.
    func modes(isSoleClaim: Bool) -> SpaceModes {
        let known: [SpaceModes.Chat]
        var allowsBulkTopics = false
        switch chats {
        case .listed(let chats):
            known = chats
            allowsBulkTopics = isSoleClaim
        case .remembered(let chats):
            known = chats
        case .unknown:
            known = []
        }
        return SpaceModes(
            spaceId: row.spaceId, isActive: row.isActive, isOwned: row.isOwned, isOneToOne: row.isOneToOne,
            mode: row.mode, chats: Self.narrowest(known, fallback: row.mode ?? .all), allowsBulkTopics: allowsBulkTopics
        )
    }

    // Each chat once. Where a repeated chat has different modes, the result is an override: no bulk topic stands for
    // it.
    private static func narrowest(_ chats: [SpaceModes.Chat], fallback: NotifyMode) -> [SpaceModes.Chat] {
        var merged: [SpaceModes.Chat] = []
        var positions: [String: Int] = [:]
        for chat in chats {
            guard let position = positions[chat.chatId] else {
                positions[chat.chatId] = merged.count
                merged.append(chat)
                continue
            }
            guard merged[position].mode != chat.mode else { continue }
            merged[position].mode = min(merged[position].mode ?? fallback, chat.mode ?? fallback)
        }
        return merged
    }
}
