import ProtoWire
public import PushAPI
public import PushCrypto

/// A notification that is ready for the node: sealed and signed, nothing readable in it.
public struct OutgoingNotification: Hashable, Sendable {
    /// Which of the two calls it is for.
    public enum Kind: Hashable, Sendable {
        /// Shown to its recipients: Notify.
        case normal
        /// Not shown, for the sender's own devices: NotifySilent.
        case silent
    }

    /// The call it is for.
    public let kind: Kind
    /// What is sent.
    public let request: NotifyRequest

    /// A notification; see the properties.
    public init(kind: Kind, request: NotifyRequest) {
        self.kind = kind
        self.request = request
    }
}

/// Why a notification could not be composed.
public enum ComposeError: Error, Hashable, Sendable {
    /// The payload's ids alone are longer than a provider takes.
    case tooLong(FittingError)
    /// The payload could not be sealed.
    case notSealed(SealError)
}

/// Turns chat events into notifications: payload, seal, signatures and topics (protocol.md §3).
///
/// Topic signatures do not change, so they are kept: a warm message costs one signature and one seal.
public struct NotificationComposer: Sendable {
    /// How many topic signatures are kept. A chat needs 2, a member that is mentioned 2 more.
    public static let signatureCacheCapacity = 8192

    private let account: SigningKey
    private let isPadded: Bool
    private let identityTopic: WireString
    private var signatures = BoundedCache<TopicKey, Topic>(capacity: signatureCacheCapacity)
    private var groups = BoundedCache<String, Group>(capacity: signatureCacheCapacity)

    /// A composer for one account.
    ///
    /// - Parameters:
    ///   - account: the sender's account key.
    ///   - isPadded: whether payloads are brought to a multiple of ``PayloadPadding/step`` bytes. Without it they have the
    ///     bytes of the reference's.
    public init(account: SigningKey, isPadded: Bool = true) {
        self.account = account
        self.isPadded = isPadded
        identityTopic = TopicName.identity(account.publicKey)
    }

    /// A notification about a new message.
    ///
    /// - Parameters:
    ///   - payload: what it says; mentions are shown by ``MentionText``, and it is cut to fit a provider's message.
    ///   - mentions: the identities that the message mentions, in order.
    ///   - keys: the space's keys, current.
    /// - Throws: ``ComposeError``.
    public mutating func newMessage(
        _ payload: ChatPayload, mentions: [PublicKey], keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        let group = group(ofChat: payload.newMessage.chatId.string)
        let names = [TopicName.chats, group.topic] + mentionTopics(mentions, group)
        return try normal(payload, names, group, keys)
    }

    /// A notification about an edit, for those who are newly mentioned.
    ///
    /// - Parameters:
    ///   - payload: as for ``newMessage(_:mentions:keys:)``.
    ///   - mentions: the identities that were not mentioned before, in order.
    ///   - keys: the space's keys, current.
    /// - Returns: `nil` when nobody is newly mentioned: nothing is to be sent.
    /// - Throws: ``ComposeError``.
    public mutating func edit(
        _ payload: ChatPayload, newMentions mentions: [PublicKey], keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification? {
        guard !mentions.isEmpty else { return nil }
        let group = group(ofChat: payload.newMessage.chatId.string)
        return try normal(payload, mentionTopics(mentions, group), group, keys)
    }

    /// A notification to the account's own devices that a chat was read, so that they take down what they show of it.
    ///
    /// Its message says what was read and when, under the account's signature.
    ///
    /// - Parameters:
    ///   - payload: what it says.
    ///   - keys: the space's keys, current.
    /// - Throws: ``ComposeError``.
    public mutating func read(
        _ payload: ReadPayload, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        let json: [UInt8]
        do { json = try payload.encoded() } catch { throw .tooLong(error) }
        let message = try seal(json, keys)
        let topics = Topics([sign(identityTopic, keys)])
        let groupId = group(ofChat: payload.chatId.string).text
        return OutgoingNotification(
            kind: .silent, request: NotifyRequest(topics: topics, message: message, groupId: groupId)
        )
    }

    private mutating func normal(
        _ payload: ChatPayload, _ names: [WireString], _ group: Group, _ keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        var payload = payload
        // Before the cut: the ids of two links are as long as a message.
        payload.newMessage.text.bytes = MentionText.shown(payload.newMessage.text.bytes)
        let json: [UInt8]
        do { json = try payload.encoded(fitting: ProviderBudget.payloadByteCount) } catch { throw .tooLong(error) }
        let message = try seal(json, keys)
        var topics: [Topic] = []
        topics.reserveCapacity(names.count)
        for name in names {
            topics.append(sign(name, keys))
        }
        return OutgoingNotification(
            kind: .normal, request: NotifyRequest(topics: Topics(topics), message: message, groupId: group.text)
        )
    }

    private func seal(_ json: [UInt8], _ keys: SpacePushKeys) throws(ComposeError) -> NotifyRequest.Message {
        let sealed: [UInt8]
        do { sealed = try keys.encryptionKey.seal(isPadded ? PayloadPadding.padded(json) : json) } catch {
            throw .notSealed(error)
        }
        // The signature covers the ciphertext: the node checks it without being able to read.
        return NotifyRequest.Message(
            keyId: WireString(keys.encryptionKeyId), payload: sealed, signature: account.signature(for: sealed)
        )
    }

    private mutating func sign(_ name: WireString, _ keys: SpacePushKeys) -> Topic {
        let key = TopicKey(spaceKey: keys.spaceKey.publicKey, name: name)
        if let known = signatures.value(for: key) { return known }
        let topic = Topic(keys.sign(name))
        signatures.insert(topic, for: key)
        return topic
    }

    private mutating func group(ofChat chatId: String) -> Group {
        if let known = groups.value(for: chatId) { return known }
        let groupId = GroupId(chatId: chatId)
        let group = Group(id: groupId, text: WireString(groupId.text), topic: TopicName.chat(groupId))
        groups.insert(group, for: chatId)
        return group
    }

    private func mentionTopics(_ mentions: [PublicKey], _ group: Group) -> [WireString] {
        mentions.flatMap { identity in
            let address = identity.accountAddress
            return [TopicName.mention(ofAddress: address, in: group.id), WireString(address)]
        }
    }

    private struct TopicKey: Hashable, Sendable {
        let spaceKey: PublicKey
        let name: WireString
    }

    private struct Group: Sendable {
        let id: GroupId
        let text: WireString
        let topic: WireString
    }
}
