/// What a chat takes (any-api.md, "HTTP"). Contents of other members are held to the same.
enum ChatLimits {
    /// The longest text in bytes of UTF-8: 32 KiB.
    static let textByteCount = 32 * 1024
    /// The longest emoji of a reaction, in bytes.
    static let emojiByteCount = 64
    /// The most attachments of one message.
    static let attachments = 32
    /// The longest link, in bytes.
    static let linkByteCount = 2048
    /// The longest id of an attachment, in bytes.
    static let attachmentIdByteCount = 64
    /// The longest kind of a control, in bytes.
    static let controlKindByteCount = 64
    /// The longest notify mode that is kept, in bytes; those that there are are far shorter.
    static let modeByteCount = 64
    /// The longest name of anything, and the longest id of something that is only referred to, in bytes.
    static let nameByteCount = 256
    /// The most identities that one message mentions.
    static let mentions = 64
    /// The most messages that are read at a time.
    static let pageMessages = 1000
    /// The most reactions of one message that are shown, the earliest first.
    static let shownReactions = 1024
}
