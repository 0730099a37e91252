import ProtoWire
import PushAPI
import PushCrypto

/// What a round brings to the node: the spaces to register and the topics to subscribe.
///
/// Why no plan unmutes a chat, whatever fails:
///
/// 1. A topic stands for one chat, or (`chats`, the bare identity) for a space. ``DesiredTopics`` has a chat's topic
///    only if the chat's effective mode asks for it, and a space's topics only if the space allows bulk topics and no
///    chat given to it has an override.
/// 2. Bulk topics are allowed only for chats that were listed in this round. The list is whole (``ReconcileSource``),
///    so no chat has an override, and every chat has the mode of the row, which was read in this round too. A key that
///    two spaces are known to have makes the topics of one deliver the messages of the other: then neither uses them.
/// 3. A chat is named only with an override that was listed in this round, or that was listed before and not written
///    here since; what it falls back to is the row of this round. Listed twice with different modes, it has the
///    narrower one.
/// 4. Whatever else fails takes topics away: no rows, no plan; no keys, or chats that nobody knows, no topics of the
///    space. There is no way from a failure to a wider topic.
/// 5. What is read may change before it is sent. A write on this device is noted before the user is answered, and a
///    round that sees the note reads anew before it sends, a bounded number of times (``TopicReconciler``).
/// 6. A set that the node may yet carry out late is followed by the newer one once more (``Stragglers``).
struct TopicPlan: Sendable {
    /// The spaces to register, sorted by id.
    private(set) var registrations: [Registration] = []
    /// The topics, for comparing: an order means nothing to the node.
    private(set) var topics: Set<SubscribedTopic> = []
    /// The spaces that have topics, by id.
    private(set) var subscribedSpaces: Set<String> = []
    /// The spaces that have fewer topics than they should, by id.
    private(set) var leftOut: [LeftOutSpace] = []
    private var subscriptions: [(keys: SpacePushKeys, names: [WireString])] = []
    /// The keys of the spaces that take part, by their public halves.
    private var keysByPublicKey: [[UInt8]: SpacePushKeys] = [:]

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
    ///   - limits: the most topics that a node takes. Spaces with few topics come first, so that one with thousands of
    ///     chats takes none from the others.
    init(
        identity: PublicKey, readings: [SpaceReading], spaceKeys: [String: PublicKey],
        limits: TopicLimits = TopicLimits()
    ) {
        let claims = Dictionary(spaceKeys.values.map { ($0, 1) }, uniquingKeysWith: +)
        let modes = readings.map { $0.modes(isSoleClaim: claims[$0.keys.spaceKey.publicKey] == 1) }
        let desired = DesiredTopics(identity: identity, spaces: modes)
        let keys = Dictionary(readings.map { ($0.row.spaceId, $0.keys) }, uniquingKeysWith: { first, _ in first })
        for keys in keys.values { keysByPublicKey[keys.spaceKey.publicKey.rawRepresentation] = keys }
        for spaceId in desired.register {
            guard let keys = keys[spaceId] else { continue }
            registrations.append(Registration(spaceId: spaceId, keys: keys))
        }
        var allowed: [String: Int] = [:]
        var room = limits
        for space in desired.subscriptions.sorted(by: { $0.topics.count < $1.topics.count }) {
            guard let keys = keys[space.spaceId] else { continue }
            allowed[space.spaceId] = room.take(space.topics, of: keys.spaceKey.publicKey.rawRepresentation)
        }
        for space in desired.subscriptions {
            guard let keys = keys[space.spaceId], let count = allowed[space.spaceId] else { continue }
            let spaceKey = keys.spaceKey.publicKey.rawRepresentation
            // Repeated topics count once.
            let names = space.topics.prefix(count).filter {
                topics.insert(SubscribedTopic(spaceKey: spaceKey, name: $0)).inserted
            }
            if count < space.topics.count {
                let reason = LeftOutSpace.Reason.tooManyTopics(leftOut: space.topics.count - count)
                leftOut.append(LeftOutSpace(spaceId: space.spaceId, reason: reason))
            }
            subscriptions.append((keys, names))
            if count > 0 { subscribedSpaces.insert(space.spaceId) }
        }
    }

    /// The topics as the node takes them.
    ///
    /// - Parameter known: those that were signed before.
    func signedTopics(knowing known: [SubscribedTopic: SignedTopic]) -> [SignedTopic] {
        subscriptions.flatMap { keys, names in
            let spaceKey = keys.spaceKey.publicKey.rawRepresentation
            return names.map { known[SubscribedTopic(spaceKey: spaceKey, name: $0)] ?? keys.sign($0) }
        }
    }

    /// Topics of spaces that take part, as the node takes them.
    ///
    /// - Returns: `nil` when one of them is of another space.
    func signed(_ topics: Set<SubscribedTopic>) -> [SignedTopic]? {
        var signed: [SignedTopic] = []
        for topic in topics {
            guard let keys = keysByPublicKey[topic.spaceKey] else { return nil }
            signed.append(keys.sign(topic.name))
        }
        return signed
    }
}

extension TopicLimits {
    /// Takes the room of a space's topics, as many as there is room for.
    ///
    /// - Returns: how many of them there is room for.
    fileprivate mutating func take(_ names: [WireString], of spaceKey: [UInt8]) -> Int {
        var taken = 0
        for name in names {
            let byteCount = Self.byteCount(spaceKey: spaceKey, name: name)
            guard count > 0, bytes >= byteCount else { break }
            count -= 1
            bytes -= byteCount
            taken += 1
        }
        return taken
    }
}
