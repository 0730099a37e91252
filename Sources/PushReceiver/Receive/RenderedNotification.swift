import ProtoWire
import PushCrypto

/// A chat message as a notification shows it.
///
/// Its description and its mirror show ids only; the texts are in its properties.
public struct RenderedNotification: Hashable, Sendable {
    /// The space's id.
    public let spaceId: String
    /// The space's name, on one line.
    public let spaceName: String
    /// The chat object's id.
    public let chatId: String
    /// The chat's name, on one line.
    public let chatName: String
    /// The message's id.
    public let messageId: String
    /// The account address that the payload names as its sender; see ``sender``.
    public let senderId: String
    /// The name that the payload gives its sender, on one line; see ``sender``.
    public let senderName: String
    /// The message's text, cut by the sender where it was long; empty when there are only attachments.
    public let text: String
    /// How many attachments the message has.
    public let attachmentCount: Int
    /// Whether the space is one of two people.
    public let isOneToOne: Bool
    /// What to collapse the notification with and to take it back by: the group id of ``chatId``, whatever the node said.
    public let groupId: String
    /// Whether the named sender sent it. The texts below name nobody who did not.
    public let sender: SenderVerdict

    init(_ payload: ChatPayload, of opened: OpenedNotification) {
        let message = payload.newMessage
        spaceId = payload.spaceId.string
        spaceName = singleLine(message.spaceName.string)
        chatId = message.chatId.string
        chatName = singleLine(message.chatName.string)
        messageId = message.msgId.string
        senderId = payload.senderId.string
        senderName = singleLine(message.senderName.string)
        text = message.text.string
        attachmentCount = message.attachments.count
        isOneToOne =
            payload.spaceUxType == ChatPayload.oneToOneSpaceType || payload.spaceType == ChatPayload.oneToOneSpaceType
        groupId = message.chatId.isEmpty ? opened.groupId ?? "" : GroupId(chatId: chatId).text
        sender = opened.verdict(senderId: senderId)
    }

    /// The first line: the sender's name in a space of two, else the space's.
    public var title: String {
        let name = isOneToOne ? provenSenderName : spaceName
        return [name, spaceName, chatName].first { !$0.isEmpty } ?? GenericNotification.text
    }

    /// The second line: the chat's name where it tells more than the title; `nil` otherwise.
    public var subtitle: String? {
        isOneToOne || chatName.isEmpty || chatName == title ? nil : chatName
    }

    /// The message: its text, with the sender's name in front where several people write.
    public var body: String {
        let content = text.isEmpty ? attachmentText : text
        return isOneToOne || provenSenderName.isEmpty ? content : "\(provenSenderName): \(content)"
    }

    /// What is the same for two deliveries of one message, and different for another message or another sender.
    public var identifier: String {
        [groupId, messageId, sender.isVerified ? senderId : ""].joined(separator: "/")
    }

    private var provenSenderName: String {
        sender.isVerified ? senderName : ""
    }

    private var attachmentText: String {
        switch attachmentCount {
        case 0: GenericNotification.text
        case 1: "Attachment"
        default: "\(attachmentCount) attachments"
        }
    }
}

extension RenderedNotification: CustomStringConvertible, CustomReflectable {
    public var description: String { "RenderedNotification(\(identifier))" }

    public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier], displayStyle: .struct) }
}

/// A name that can not pass for several lines or turn the text around it: control characters and line breaks are spaces,
/// and what changes the direction of writing beyond itself is left out.
private func singleLine(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
        case .format where (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value): break
        default: scalars.append(scalar)
        }
    }
    return String(scalars)
}
