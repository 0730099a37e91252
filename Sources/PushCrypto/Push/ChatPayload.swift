public import ProtoWire

/// What a notification about a chat message says, before it is sealed (protocol.md §3).
///
/// Texts are kept as bytes, because a text that is not UTF-8 has an exact form on the wire too.
public struct ChatPayload: Hashable, Sendable {
    /// The `type` of a notification about a new message, the only one there is.
    public static let newMessageType = 1
    /// The `spaceUxType` and `spaceType` of a one-to-one space; every other space has 0.
    public static let oneToOneSpaceType = 4
    /// How many Unicode scalars of a message's text are sent at most.
    public static let maximumTextScalars = 1024

    /// The space; left out on the wire when empty.
    public var spaceId: WireString
    /// 4 in a one-to-one space, else 0.
    public var spaceUxType: Int
    /// 4 in a one-to-one space, else 0.
    public var spaceType: Int
    /// The sender's account address.
    public var senderId: WireString
    /// ``newMessageType``.
    public var type: Int
    /// The message.
    public var newMessage: NewMessage

    /// A chat message as a notification shows it.
    public struct NewMessage: Hashable, Sendable {
        /// The chat object's id.
        public var chatId: WireString
        /// The message's id.
        public var msgId: WireString
        /// The space's name.
        public var spaceName: WireString
        /// The chat's name.
        public var chatName: WireString
        /// The sender's name.
        public var senderName: WireString
        /// The text; ``ChatPayload/encoded()`` sends its first ``ChatPayload/maximumTextScalars`` scalars.
        public var text: WireString
        /// One for each attachment.
        public var attachments: [Attachment]

        /// A message; see the properties.
        public init(
            chatId: WireString, msgId: WireString, spaceName: WireString, chatName: WireString,
            senderName: WireString, text: WireString, attachments: [Attachment] = []
        ) {
            self.chatId = chatId
            self.msgId = msgId
            self.spaceName = spaceName
            self.chatName = chatName
            self.senderName = senderName
            self.text = text
            self.attachments = attachments
        }
    }

    /// What is said of an attachment: nothing but that it exists.
    public struct Attachment: Hashable, Sendable, Codable {
        /// Anytype's object layout, 0 from an `any` server.
        public var layout: Int

        /// An attachment of the given layout.
        public init(layout: Int = 0) {
            self.layout = layout
        }
    }

    /// A notification about a new message.
    ///
    /// - Parameters:
    ///   - spaceId: the space's id.
    ///   - isOneToOne: whether the space has exactly two members by derivation.
    ///   - senderId: the sender's account address.
    ///   - newMessage: the message.
    public init(spaceId: WireString, isOneToOne: Bool, senderId: WireString, newMessage: NewMessage) {
        self.init(
            spaceId: spaceId,
            spaceUxType: isOneToOne ? Self.oneToOneSpaceType : 0, spaceType: isOneToOne ? Self.oneToOneSpaceType : 0,
            senderId: senderId, type: Self.newMessageType, newMessage: newMessage
        )
    }

    /// A payload with every field given, as a reader or a vector has it.
    public init(
        spaceId: WireString, spaceUxType: Int, spaceType: Int, senderId: WireString, type: Int, newMessage: NewMessage
    ) {
        self.spaceId = spaceId
        self.spaceUxType = spaceUxType
        self.spaceType = spaceType
        self.senderId = senderId
        self.type = type
        self.newMessage = newMessage
    }
}
