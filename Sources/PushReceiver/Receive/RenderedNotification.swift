import ProtoWire
public import PushCrypto

/// A chat message as a notification shows it: its sender signed it, under a key of the space that it names.
///
/// Its texts are made fit to show. Its description and its mirror show ids only; the texts are in its properties.
public struct RenderedNotification: Hashable, Sendable {
    /// The space's id.
    public let spaceId: String
    /// The space's name, on one line: the app's where it has a row of the space.
    public let spaceName: String
    /// The chat object's id.
    public let chatId: String
    /// The chat's name, on one line: the app's where it has one.
    public let chatName: String
    /// The message's id.
    public let messageId: String
    /// The account that sent the message.
    public let sender: PublicKey
    /// The name that the sender gives itself, on one line. Anybody can take any name.
    public let senderName: String
    /// The message's text, cut by the sender where it was long; empty when there are only attachments.
    public let text: String
    /// How many attachments the message has.
    public let attachmentCount: Int
    /// Whether the space is one of two people: the app's word where it has a row of the space.
    public let isOneToOne: Bool
    /// What to collapse the notification with and to take it back by: the group id of ``chatId``, whatever the node said.
    public let groupId: String
    /// The accounts of this device that are in the space, as far as the app has named them with the keys.
    public let accounts: [PublicKey]

    init(_ payload: ChatPayload, _ provenance: Provenance, known space: KnownSpace?, groupId: String?) {
        let message = payload.newMessage
        spaceId = payload.spaceId.string
        chatId = message.chatId.string
        messageId = message.msgId.string
        spaceName = Self.name(space?.name, or: message.spaceName)
        chatName = Self.name(space?.chatNames[chatId], or: message.chatName)
        sender = provenance.sender
        senderName = DisplayText.name(message.senderName.string)
        text = DisplayText.lines(message.text.string)
        attachmentCount = message.attachments.count
        isOneToOne = space?.isOneToOne ?? payload.saysOneToOne
        self.groupId = message.chatId.isEmpty ? groupId ?? "" : GroupId(chatId: chatId).text
        accounts = provenance.accounts
    }

    /// The first line: the sender's name in a space of two, else the space's.
    public var title: String {
        let name = isOneToOne ? senderName : spaceName
        return [name, spaceName, chatName].first { !$0.isEmpty } ?? GenericNotification.text
    }

    /// The second line: the chat's name where it tells more than the title; `nil` otherwise.
    public var subtitle: String? {
        isOneToOne || chatName.isEmpty || chatName == title ? nil : chatName
    }

    /// The message: its text, with the sender in front where several people write.
    ///
    /// Behind a name the text is one paragraph, so that no line of it can pass for what another member said.
    public var body: String {
        let content = text.isEmpty ? attachmentText : text
        return isOneToOne ? content : "\(author): \(DisplayText.paragraph(content))"
    }

    /// What is the same for two deliveries of one message, and different for another message or another sender: 64
    /// hexadecimal digits, however long the ids are.
    public var identifier: String {
        var writer = ProtoWriter()
        for part in [spaceId, groupId, messageId, sender.accountAddress] { writer.string(1, part) }
        return Hexadecimal.encode(Digest.sha256(writer.bytes))
    }

    /// What tells this version of the message from its edits, in any process.
    var contentHash: [UInt8] {
        var writer = ProtoWriter()
        for part in [spaceName, chatName, senderName, text] { writer.element(1, Array(part.utf8)) }
        writer.varint(2, UInt64(attachmentCount))
        return Array(Digest.sha256(writer.bytes).prefix(8))
    }

    // Somebody without a name would let the text begin with one.
    private var author: String {
        senderName.isEmpty ? "\(sender.accountAddress.prefix(8))…" : senderName
    }

    private var attachmentText: String {
        switch attachmentCount {
        case 0: GenericNotification.text
        case 1: "Attachment"
        default: "\(attachmentCount) attachments"
        }
    }

    private static func name(_ known: String?, or claimed: WireString) -> String {
        let name = DisplayText.name(known ?? "")
        return name.isEmpty ? DisplayText.name(claimed.string) : name
    }
}

extension ChatPayload {
    fileprivate var saysOneToOne: Bool {
        spaceUxType == Self.oneToOneSpaceType || spaceType == Self.oneToOneSpaceType
    }
}

extension RenderedNotification: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "RenderedNotification(space \(spaceId), chat \(chatId), message \(messageId), sender \(sender))"
    }

    public var customMirror: Mirror {
        Mirror(
            self, children: ["spaceId": spaceId, "chatId": chatId, "messageId": messageId, "sender": sender],
            displayStyle: .struct)
    }
}
