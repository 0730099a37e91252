public import ProtoWire
import PushAPI
public import PushCrypto

/// What decides over the topics of one space: its row and the modes of its chats.
public struct SpaceModes: Hashable, Sendable {
    /// The space's id.
    public var spaceId: String
    /// Whether the row's status is exactly `active`. Other spaces take no part.
    public var isActive: Bool
    /// Whether the account's own role is exactly `owner`.
    public var isOwned: Bool
    /// Whether the space's type is exactly `any.onetoone`.
    public var isOneToOne: Bool
    /// The space's own setting.
    public var mode: NotifyMode?
    /// Every chat of the space with its override, in the space's order.
    public var chats: [Chat]
    /// Whether topics that stand for the whole space may be used. Not when ``chats`` could lack a chat or an override:
    /// such a topic would deliver the messages of a chat that is muted.
    public var allowsBulkTopics: Bool

    /// A chat and its override.
    public struct Chat: Hashable, Sendable {
        /// The chat object's id.
        public var chatId: String
        /// The override, `nil` to follow the space.
        public var mode: NotifyMode?

        /// A chat; see the properties.
        public init(chatId: String, mode: NotifyMode?) {
            self.chatId = chatId
            self.mode = mode
        }
    }

    /// A space; see the properties.
    public init(
        spaceId: String, isActive: Bool, isOwned: Bool, isOneToOne: Bool, mode: NotifyMode?, chats: [Chat],
        allowsBulkTopics: Bool = true
    ) {
        self.spaceId = spaceId
        self.isActive = isActive
        self.isOwned = isOwned
        self.isOneToOne = isOneToOne
        self.mode = mode
        self.chats = chats
        self.allowsBulkTopics = allowsBulkTopics
    }
}

/// What a push node should hold for an account.
public struct DesiredTopics: Hashable, Sendable {
    /// The spaces to register, sorted by the bytes of their ids.
    public private(set) var register: [String] = []
    /// The topics to subscribe, space by space in the same order; a space without any is left out.
    public private(set) var subscriptions: [Space] = []

    /// The topics of one space.
    public struct Space: Hashable, Sendable {
        /// The space's id.
        public let spaceId: String
        /// The topics, in the order of the chats.
        public let topics: [WireString]
    }

    /// Works out the desired set from the user's settings.
    ///
    /// - Parameters:
    ///   - identity: the account.
    ///   - spaces: every known space, in any order.
    public init(identity: PublicKey, spaces: [SpaceModes]) {
        let active = spaces.filter(\.isActive).sorted { $0.spaceId.utf8.lexicographicallyPrecedes($1.spaceId.utf8) }
        for space in active {
            if space.isOwned || space.isOneToOne { register.append(space.spaceId) }
            let topics = space.topics(for: identity)
            if !topics.isEmpty { subscriptions.append(Space(spaceId: space.spaceId, topics: topics)) }
        }
    }
}

extension SpaceModes {
    // Without an override the space's two topics say it all; with one, every chat is named, since a bulk topic would
    // deliver the messages of a muted chat too.
    fileprivate func topics(for identity: PublicKey) -> [WireString] {
        let fallback = mode ?? .all
        guard !allowsBulkTopics || chats.contains(where: { $0.mode != nil }) else {
            switch fallback {
            case .all: return [TopicName.chats, TopicName.identity(identity)]
            case .mentions: return [TopicName.identity(identity)]
            case .none: return []
            }
        }
        return chats.flatMap { chat -> [WireString] in
            let groupId = GroupId(chatId: chat.chatId)
            switch chat.mode ?? fallback {
            case .all: return [TopicName.chat(groupId), TopicName.mention(of: identity, in: groupId)]
            case .mentions: return [TopicName.mention(of: identity, in: groupId)]
            case .none: return []
            }
        }
    }
}
