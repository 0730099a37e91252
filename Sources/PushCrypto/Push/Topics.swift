public import ProtoWire

/// The names of the topics of a space's chats (protocol.md §3).
public enum TopicName {
    /// Every message of the space.
    public static let chats: WireString = "chats"

    /// Every message of one chat.
    public static func chat(_ groupId: GroupId) -> WireString {
        WireString("chats/\(groupId.text)")
    }

    /// The messages of one chat that mention an identity.
    public static func mention(of identity: PublicKey, in groupId: GroupId) -> WireString {
        mention(ofAddress: identity.accountAddress, in: groupId)
    }

    /// The same by the identity's account address.
    package static func mention(ofAddress address: String, in groupId: GroupId) -> WireString {
        WireString("chats/\(groupId.text)/\(address)")
    }

    /// The messages of the space that mention an identity, and the silent notices to its own devices.
    public static func identity(_ identity: PublicKey) -> WireString {
        WireString(identity.accountAddress)
    }

    /// Where a new message is published: the space, the chat, then both topics of each mentioned identity, in order.
    public static func newMessage(in groupId: GroupId, mentions: [PublicKey]) -> [WireString] {
        [chats, chat(groupId)] + newMentions(in: groupId, mentions: mentions)
    }

    /// Where an edit is published: both topics of each identity that it newly mentions. Empty: nothing is sent.
    public static func newMentions(in groupId: GroupId, mentions: [PublicKey]) -> [WireString] {
        mentions.flatMap { [mention(of: $0, in: groupId), identity($0)] }
    }
}

/// What groups the notifications of one chat: 64 lower-case hex digits of SHA-256 over the chat object's id.
public struct GroupId: Hashable, Sendable, CustomStringConvertible {
    /// The digits.
    public let text: String

    /// The group id of a chat.
    ///
    /// - Parameter chatId: the chat object's id.
    public init(chatId: String) {
        text = Hexadecimal.encode(Digest.sha256(Array(chatId.utf8)))
    }

    public var description: String { text }
}

/// A topic with the proof that its sender is a member of the space.
public struct SignedTopic: Hashable, Sendable {
    /// The public half of the space push key.
    public let spaceKey: PublicKey
    /// The topic's name.
    public let name: WireString
    /// The space push key's signature of the name's bytes, 64 bytes.
    public let signature: [UInt8]
}

extension SpacePushKeys {
    /// Signs a topic.
    public func sign(_ name: WireString) -> SignedTopic {
        SignedTopic(spaceKey: spaceKey.publicKey, name: name, signature: spaceKey.signature(for: name.bytes))
    }
}
