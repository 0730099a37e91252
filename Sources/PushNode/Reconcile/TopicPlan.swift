import ProtoWire
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

/// What a round brings to the node: the spaces to register and the topics to subscribe.
///
/// Why no plan unmutes a chat, whatever fails:
///
/// 1. A topic stands for one chat, or (`chats`, the bare identity) for a space. ``DesiredTopics`` has a chat's topic only if
///    the chat's effective mode asks for it, and a space's topics only if the space allows bulk topics and no chat given to
///    it has an override.
/// 2. Bulk topics are allowed only for chats that were listed in this round. The list is whole (``ReconcileSource``), so no
///    chat has an override, and every chat has the mode of the row, which was read in this round too. A key that two
///    spaces are known to have makes the topics of one deliver the messages of the other: then neither uses them.
/// 3. A chat is named only with an override that was listed in this round, or that was listed before and not written here
///    since; what it falls back to is the row of this round. Listed twice with different modes, it has the narrower one.
/// 4. Whatever else fails takes topics away: no rows, no plan; no keys, or chats that nobody knows, no topics of the space.
///    There is no way from a failure to a wider topic.
/// 5. What is read may change before it is sent. A write on this device is noted before the user is answered, and a round
///    that sees the note reads anew before it sends (``TopicReconciler``).
/// 6. A set that the node may yet carry out late is followed by the newer one once more (``Stragglers``).
struct TopicPlan: Sendable {
    /// The spaces to register, sorted by id.
    private(set) var registrations: [Registration] = []
    /// The topics, for comparing: an order means nothing to the node.
    private(set) var topics: Set<SubscribedTopic> = []
    /// The spaces that have topics, by id.
    private(set) var subscribedSpaces: Set<String> = []
    private var subscriptions: [(keys: SpacePushKeys, names: [WireString])] = []

    /// A space to register.
    struct Registration: Sendable {
        let spaceId: String
        let keys: SpacePushKeys
    }

    /// Works out what the node should be brought to.
    ///
    /// - Parameters:
    ///   - readings: every space that takes part, one reading for each.
    ///   - spaceKeys: the push key of each active space, as far as it was ever known; those of the readings among them.
    init(identity: PublicKey, readings: [SpaceReading], spaceKeys: [String: PublicKey]) {
        let claims = Dictionary(spaceKeys.values.map { ($0, 1) }, uniquingKeysWith: +)
        let modes = readings.map { $0.modes(isSoleClaim: claims[$0.keys.spaceKey.publicKey] == 1) }
        let desired = DesiredTopics(identity: identity, spaces: modes)
        let keys = Dictionary(readings.map { ($0.row.spaceId, $0.keys) }, uniquingKeysWith: { first, _ in first })
        for spaceId in desired.register {
            guard let keys = keys[spaceId] else { continue }
            registrations.append(Registration(spaceId: spaceId, keys: keys))
        }
        for space in desired.subscriptions {
            guard let keys = keys[space.spaceId] else { continue }
            let spaceKey = keys.spaceKey.publicKey.rawRepresentation
            // Repeated topics count once.
            let names = space.topics.filter { topics.insert(SubscribedTopic(spaceKey: spaceKey, name: $0)).inserted }
            subscriptions.append((keys, names))
            subscribedSpaces.insert(space.spaceId)
        }
    }

    /// The topics as the node takes them.
    func signedTopics() -> [SignedTopic] {
        subscriptions.flatMap { subscription in subscription.names.map(subscription.keys.sign) }
    }
}

extension SpaceReading {
    fileprivate func modes(isSoleClaim: Bool) -> SpaceModes {
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

    // Each chat once. Where a repeated chat has different modes, the result is an override: no bulk topic stands for it.
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

extension SpaceRow {
    /// The active rows, one for each space: where rows of one space differ, the narrower mode counts.
    static func active(_ rows: [SpaceRow]) -> [SpaceRow] {
        var merged: [SpaceRow] = []
        var positions: [String: Int] = [:]
        for row in rows where row.isActive {
            guard let position = positions[row.spaceId] else {
                positions[row.spaceId] = merged.count
                merged.append(row)
                continue
            }
            merged[position].isOwned = merged[position].isOwned || row.isOwned
            merged[position].isOneToOne = merged[position].isOneToOne || row.isOneToOne
            merged[position].mode = min(merged[position].mode ?? .all, row.mode ?? .all)
        }
        return merged
    }
}
