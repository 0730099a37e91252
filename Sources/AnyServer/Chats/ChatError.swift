/// Why a chat refuses a request.
enum ChatError: Error, Hashable, Sendable {
    /// Neither text nor attachments nor a control.
    case textRequired
    /// The text is longer than ``ChatLimits/textByteCount``, in bytes.
    case textTooLong(found: Int)
    case replyIdInvalid(reason: String)
    case agentInvalid(reason: String)
    case attachmentsInvalid(reason: String)
    case contextInvalid(reason: String)
    case controlInvalid(reason: String)
    /// An emoji is empty, too long or no text.
    case emojiInvalid
    /// The message is somebody else's.
    case notAuthor
    /// The chat has no such message.
    case messageNotFound
    /// The message was deleted, for good.
    case messageDeleted
    /// The object is one of the space's and no chat.
    case noChat
    /// The space has no chat with this id.
    case chatNotFound
    /// The name of a chat is empty or too long.
    case nameInvalid
}

extension ErrorCode {
    static let chatTextRequired = ErrorCode("chat.text_required", .badRequest)
    static let chatTextTooLong = ErrorCode("chat.text_too_long", .badRequest)
    static let chatReplyIdInvalid = ErrorCode("chat.reply_id_invalid", .badRequest)
    static let chatAgentInvalid = ErrorCode("chat.agent_invalid", .badRequest)
    static let chatAttachmentsInvalid = ErrorCode("chat.attachments_invalid", .badRequest)
    static let chatContextInvalid = ErrorCode("chat.context_invalid", .badRequest)
    static let chatControlInvalid = ErrorCode("chat.control_invalid", .badRequest)
    static let chatEmojiInvalid = ErrorCode("chat.emoji_invalid", .badRequest)
    static let chatNotAuthor = ErrorCode("chat.not_author", .forbidden)
    static let chatNotFound = ErrorCode("chat.not_found", .notFound)
    static let datasetNotDeclared = ErrorCode("dataset.not_declared", .badRequest)
    static let recordDeleted = ErrorCode("record.deleted", .gone)
    static let objectNotFound = ErrorCode("object.not_found", .notFound)
}

extension ChatError: APIErrorConvertible {
    var apiError: APIError {
        switch self {
        case .textRequired:
            APIError(.chatTextRequired, "a message needs text, attachments or a control")
        case .textTooLong(let found):
            APIError(
                .chatTextTooLong, "the text has \(found) bytes, at most \(ChatLimits.textByteCount) are taken",
                details: [
                    "max_bytes": .integer(Int64(ChatLimits.textByteCount)), "got_bytes": .integer(Int64(found)),
                ]
            )
        case .replyIdInvalid(let reason): APIError(.chatReplyIdInvalid, "replyToMessageId \(reason)")
        case .agentInvalid(let reason): APIError(.chatAgentInvalid, "agent\(reason)")
        case .attachmentsInvalid(let reason): APIError(.chatAttachmentsInvalid, "attachments\(reason)")
        case .contextInvalid(let reason): APIError(.chatContextInvalid, "context\(reason)")
        case .controlInvalid(let reason): APIError(.chatControlInvalid, "control\(reason)")
        case .emojiInvalid:
            APIError(.chatEmojiInvalid, "the emoji must be text of 1 to \(ChatLimits.emojiByteCount) bytes")
        case .notAuthor: APIError(.chatNotAuthor, "only its author may change a message")
        case .messageNotFound: APIError(.chatNotFound, "the chat has no such message")
        case .messageDeleted: APIError(.recordDeleted, "the message was deleted, and its id with it")
        case .noChat: APIError(.datasetNotDeclared, "the object is no chat and has no messages")
        case .chatNotFound: APIError(.objectNotFound, "the space has no such chat")
        case .nameInvalid:
            APIError(
                .invalidField, "name must be 1 to \(ChatLimits.nameByteCount) bytes without control characters",
                details: ["field": "name"]
            )
        }
    }
}

extension ChatError: CustomStringConvertible {
    var description: String { apiError.description }
}
